-- +goose Up

-- What holds of a sale from its doors to its closing, whatever its file says by then.
ALTER TABLE sale_stock ADD COLUMN buckets integer;
ALTER TABLE sale_stock ADD COLUMN invitations integer;
ALTER TABLE sale_stock ADD COLUMN zone text;
ALTER TABLE sale_stock ADD COLUMN repeats text;
ALTER TABLE sale_stock ADD COLUMN mix text;
ALTER TABLE sale_stock ADD COLUMN doors integer;
ALTER TABLE sale_stock ADD COLUMN opens integer;
ALTER TABLE sale_stock ADD COLUMN closes integer;
