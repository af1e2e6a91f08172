# Both programs, static, in an image with nothing else but the roots of trust.
# The worker is the same image with --entrypoint /orderworker.
FROM golang:1.26-bookworm AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
ARG VERSION=dev
RUN CGO_ENABLED=0 go build -trimpath -ldflags "-s -w -X main.version=${VERSION}" \
        -o /out/ ./cmd/waitroom ./cmd/orderworker \
    && mkdir -m 0700 /out/data

FROM scratch
COPY --from=build /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/
COPY --from=build /out/waitroom /out/orderworker /
# A volume that is mounted here starts with this owner.
COPY --from=build --chown=65532:65532 /out/data /data
USER 65532:65532
WORKDIR /
EXPOSE 443 80 9180 9190
ENTRYPOINT ["/waitroom"]
CMD ["run", "--config", "/etc/waitroom/waitroom.yaml"]
