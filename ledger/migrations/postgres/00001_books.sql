-- +goose Up

-- The stock row is the only lock that a sale's orders share.
CREATE TABLE sale_stock (
    sale  text    PRIMARY KEY,
    total integer NOT NULL,
    sold  integer NOT NULL DEFAULT 0,
    CONSTRAINT sold_within_total CHECK (sold BETWEEN 0 AND total)
);

CREATE TABLE sale_orders (
    reservation_id uuid        PRIMARY KEY,
    sale           text        NOT NULL,
    account        text        NOT NULL,
    ticket         text        NOT NULL DEFAULT '',
    qty            integer     NOT NULL CHECK (qty > 0),
    status         text        NOT NULL CHECK (status IN ('PENDING_PAYMENT', 'PAID', 'EXPIRED', 'CANCELLED')),
    created_at     timestamptz NOT NULL DEFAULT now(),
    pay_before     timestamptz NOT NULL,
    payment_id     text,
    released_at    timestamptz,
    holds          integer     NOT NULL DEFAULT 1,     -- how often the gate gave it units
    refund_due     boolean     NOT NULL DEFAULT false, -- money came that found no unit
    version        integer     NOT NULL DEFAULT 1,     -- grows with each move
    told           integer     NOT NULL DEFAULT 0      -- the version that the shopper can see
);
CREATE UNIQUE INDEX one_live_order ON sale_orders (sale, account) WHERE status IN ('PENDING_PAYMENT', 'PAID');
CREATE INDEX orders_to_pay ON sale_orders (sale, pay_before) WHERE status = 'PENDING_PAYMENT';
CREATE INDEX orders_to_release ON sale_orders (sale) WHERE status IN ('EXPIRED', 'CANCELLED') AND released_at IS NULL;
CREATE INDEX orders_to_tell ON sale_orders (sale) WHERE told < version;

-- Winners that became no order.
CREATE TABLE refusals (
    reservation_id uuid        PRIMARY KEY,
    sale           text        NOT NULL,
    account        text        NOT NULL,
    qty            integer     NOT NULL,
    reason         text        NOT NULL,
    at             timestamptz NOT NULL DEFAULT now(),
    refund_due     boolean     NOT NULL DEFAULT false,
    version        integer     NOT NULL DEFAULT 1,
    told           integer     NOT NULL DEFAULT 0
);
CREATE INDEX refusals_to_tell ON refusals (sale) WHERE told < version;

-- Stream entries that no order can be made of.
CREATE TABLE poison (
    sale        text        NOT NULL,
    entry       text        NOT NULL,
    reservation text        NOT NULL,
    reason      text        NOT NULL,
    content     text        NOT NULL,
    at          timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (sale, entry)
);

-- Each payment decides once.
CREATE TABLE payments (
    payment_id     text        PRIMARY KEY,
    reservation_id uuid        NOT NULL,
    amount         numeric,
    currency       text,
    outcome        text        NOT NULL CHECK (outcome IN ('paid', 'refund_due')),
    at             timestamptz NOT NULL DEFAULT now()
);

-- Notices that came before their order was written.
CREATE TABLE early_payments (
    payment_id     text        PRIMARY KEY,
    reservation_id uuid        NOT NULL,
    sale           text        NOT NULL,
    amount         numeric,
    currency       text,
    at             timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX early_payments_of ON early_payments (reservation_id);

-- The outbox.
CREATE TABLE refunds (
    payment_id     text        PRIMARY KEY,
    reservation_id uuid        NOT NULL,
    sale           text        NOT NULL,
    amount         numeric,
    currency       text,
    reason         text        NOT NULL,
    due_at         timestamptz NOT NULL DEFAULT now(),
    next_at        timestamptz NOT NULL DEFAULT now(), -- not tried again before
    attempts       integer     NOT NULL DEFAULT 0,
    sent_at        timestamptz
);
CREATE INDEX refunds_to_send ON refunds (next_at) WHERE sent_at IS NULL;

-- The newest state of each gate that is known here.
CREATE TABLE gates (
    sale  text   PRIMARY KEY,
    epoch bigint NOT NULL DEFAULT 0,
    moves bigint NOT NULL DEFAULT 0
);

CREATE TABLE journal (
    id             bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    at             timestamptz NOT NULL DEFAULT now(),
    sale           text        NOT NULL,
    reservation_id uuid,
    cause          text        NOT NULL,
    units          integer     NOT NULL DEFAULT 0, -- added to sold
    stock          integer     NOT NULL DEFAULT 0, -- added to total
    payment_id     text,
    amount         numeric,                        -- money that came; negative: went back
    currency       text
);
CREATE INDEX journal_of_sale ON journal (sale);

-- +goose StatementBegin
CREATE FUNCTION journal_is_append_only() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'journal is append-only';
END $$;
-- +goose StatementEnd
CREATE TRIGGER journal_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON journal
    FOR EACH STATEMENT EXECUTE FUNCTION journal_is_append_only();
