BEGIN;
INSERT INTO sale_orders (reservation_id, sale, account, ticket, qty, status, pay_before, told) VALUES (gen_random_uuid(), 'pgbench', gen_random_uuid()::text, 'ticket-' || gen_random_uuid(), 1, 'PENDING_PAYMENT', now() + interval '1 hour', 1) RETURNING reservation_id \gset
INSERT INTO journal (sale, reservation_id, cause, units) VALUES ('pgbench', :reservation_id, 'held', 1);
UPDATE sale_stock SET sold = sold + 1 WHERE sale = 'pgbench' AND sold + 1 <= total;
COMMIT;
