-- +goose Up

-- The moves and the stamp of each bucket of a gate, as a JSON array: one may roll
-- back alone.
ALTER TABLE gates ADD COLUMN buckets text NOT NULL DEFAULT '[]';

-- All notes of a sale are compared with its gate, page by page.
CREATE INDEX orders_of_sale ON sale_orders (sale, reservation_id);
CREATE INDEX refusals_of_sale ON refusals (sale, reservation_id);
