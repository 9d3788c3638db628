CREATE ROLE shop LOGIN PASSWORD 'harbour-lantern-42';
CREATE TABLE products (sku text PRIMARY KEY, title text NOT NULL, price_cents int NOT NULL);
CREATE TABLE inventory (sku text PRIMARY KEY REFERENCES products, quantity int NOT NULL);
CREATE TABLE orders (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  sku text NOT NULL, quantity int NOT NULL, status text NOT NULL, placed_at timestamptz NOT NULL DEFAULT now());
CREATE TABLE purchase_history (basket int NOT NULL, sku text NOT NULL);
INSERT INTO products SELECT 'sku-' || lpad(n::text, 3, '0'), 'Product ' || n, 500 + n * 37 FROM generate_series(1, 40) n;
INSERT INTO inventory SELECT sku, 1000000 FROM products;
-- No index on sku: the recommendation query is slow on purpose, which is an annoyance and not the fault.
INSERT INTO purchase_history
  SELECT n / 3, 'sku-' || lpad((1 + (hashint4(n) & 1023) % 40)::text, 3, '0') FROM generate_series(1, 450000) n;
CREATE INDEX ON purchase_history (basket);
ANALYZE;
GRANT SELECT, INSERT, UPDATE ON ALL TABLES IN SCHEMA public TO shop;
