-- +goose Up

-- What one unit costs: at the sale, and at each order since it was written.
ALTER TABLE sale_stock ADD COLUMN price text;
ALTER TABLE sale_stock ADD COLUMN currency text;
ALTER TABLE sale_orders ADD COLUMN price text;
ALTER TABLE sale_orders ADD COLUMN currency text;
