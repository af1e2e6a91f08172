-- +goose Up

-- What holds of a sale from its doors to its closing, whatever its file says by then.
ALTER TABLE sale_stock ADD COLUMN buckets integer, ADD COLUMN invitations integer,
    ADD COLUMN zone text, ADD COLUMN repeats text, ADD COLUMN mix text,
    ADD COLUMN doors timestamptz, ADD COLUMN opens timestamptz, ADD COLUMN closes timestamptz;
