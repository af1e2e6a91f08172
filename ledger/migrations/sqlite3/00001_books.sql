-- +goose Up

-- The same tables as for Postgres. Instants are Unix milliseconds, amounts are
-- decimal text.

CREATE TABLE sale_stock (
    sale  text    PRIMARY KEY,
    total integer NOT NULL,
    sold  integer NOT NULL DEFAULT 0,
    CONSTRAINT sold_within_total CHECK (sold BETWEEN 0 AND total)
);

CREATE TABLE sale_orders (
    reservation_id text    PRIMARY KEY,
    sale           text    NOT NULL,
    account        text    NOT NULL,
    ticket         text    NOT NULL DEFAULT '',
    qty            integer NOT NULL CHECK (qty > 0),
    status         text    NOT NULL CHECK (status IN ('PENDING_PAYMENT', 'PAID', 'EXPIRED', 'CANCELLED')),
    created_at     integer NOT NULL DEFAULT (CAST(unixepoch('subsec') * 1000 AS integer)),
    pay_before     integer NOT NULL,
    payment_id     text,
    released_at    integer,
    holds          integer NOT NULL DEFAULT 1,
    refund_due     boolean NOT NULL DEFAULT false,
    version        integer NOT NULL DEFAULT 1,
    told           integer NOT NULL DEFAULT 0
);
CREATE UNIQUE INDEX one_live_order ON sale_orders (sale, account) WHERE status IN ('PENDING_PAYMENT', 'PAID');
CREATE INDEX orders_to_pay ON sale_orders (sale, pay_before) WHERE status = 'PENDING_PAYMENT';
CREATE INDEX orders_to_release ON sale_orders (sale) WHERE status IN ('EXPIRED', 'CANCELLED') AND released_at IS NULL;
CREATE INDEX orders_to_tell ON sale_orders (sale) WHERE told < version;

CREATE TABLE refusals (
    reservation_id text    PRIMARY KEY,
    sale           text    NOT NULL,
    account        text    NOT NULL,
    qty            integer NOT NULL,
    reason         text    NOT NULL,
    at             integer NOT NULL DEFAULT (CAST(unixepoch('subsec') * 1000 AS integer)),
    refund_due     boolean NOT NULL DEFAULT false,
    version        integer NOT NULL DEFAULT 1,
    told           integer NOT NULL DEFAULT 0
);
CREATE INDEX refusals_to_tell ON refusals (sale) WHERE told < version;

CREATE TABLE poison (
    sale        text    NOT NULL,
    entry       text    NOT NULL,
    reservation text    NOT NULL,
    reason      text    NOT NULL,
    content     text    NOT NULL,
    at          integer NOT NULL DEFAULT (CAST(unixepoch('subsec') * 1000 AS integer)),
    PRIMARY KEY (sale, entry)
);

CREATE TABLE payments (
    payment_id     text    PRIMARY KEY,
    reservation_id text    NOT NULL,
    amount         text,
    currency       text,
    outcome        text    NOT NULL CHECK (outcome IN ('paid', 'refund_due')),
    at             integer NOT NULL DEFAULT (CAST(unixepoch('subsec') * 1000 AS integer))
);

CREATE TABLE early_payments (
    payment_id     text    PRIMARY KEY,
    reservation_id text    NOT NULL,
    sale           text    NOT NULL,
    amount         text,
    currency       text,
    at             integer NOT NULL DEFAULT (CAST(unixepoch('subsec') * 1000 AS integer))
);
CREATE INDEX early_payments_of ON early_payments (reservation_id);

CREATE TABLE refunds (
    payment_id     text    PRIMARY KEY,
    reservation_id text    NOT NULL,
    sale           text    NOT NULL,
    amount         text,
    currency       text,
    reason         text    NOT NULL,
    due_at         integer NOT NULL DEFAULT (CAST(unixepoch('subsec') * 1000 AS integer)),
    next_at        integer NOT NULL DEFAULT (CAST(unixepoch('subsec') * 1000 AS integer)),
    attempts       integer NOT NULL DEFAULT 0,
    sent_at        integer
);
CREATE INDEX refunds_to_send ON refunds (next_at) WHERE sent_at IS NULL;

CREATE TABLE gates (
    sale  text    PRIMARY KEY,
    epoch integer NOT NULL DEFAULT 0,
    moves integer NOT NULL DEFAULT 0
);

CREATE TABLE journal (
    id             integer PRIMARY KEY AUTOINCREMENT,
    at             integer NOT NULL DEFAULT (CAST(unixepoch('subsec') * 1000 AS integer)),
    sale           text    NOT NULL,
    reservation_id text,
    cause          text    NOT NULL,
    units          integer NOT NULL DEFAULT 0,
    stock          integer NOT NULL DEFAULT 0,
    payment_id     text,
    amount         text,
    currency       text
);
CREATE INDEX journal_of_sale ON journal (sale);

-- +goose StatementBegin
CREATE TRIGGER journal_no_update BEFORE UPDATE ON journal
BEGIN
    SELECT RAISE(ABORT, 'journal is append-only');
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER journal_no_delete BEFORE DELETE ON journal
BEGIN
    SELECT RAISE(ABORT, 'journal is append-only');
END;
-- +goose StatementEnd
