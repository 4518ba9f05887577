-- The fixed SQL workload. `size()` scales it; everything that is printed depends on the data alone.

PRAGMA page_size = 1024;
PRAGMA cache_size = 50;

CREATE TABLE item (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    price REAL CHECK (price >= 0),
    stock INTEGER DEFAULT 7,
    tag TEXT COLLATE NOCASE,
    data BLOB
);
CREATE TABLE sale (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    item INTEGER NOT NULL REFERENCES item (id) ON DELETE CASCADE,
    customer INTEGER,
    amount INTEGER,
    day TEXT
);
CREATE TABLE journal (what TEXT, item INTEGER, old INTEGER, new INTEGER);
CREATE INDEX item_by_tag ON item (tag, price DESC);
CREATE UNIQUE INDEX item_by_name ON item (name);
CREATE INDEX sale_by_item ON sale (item, day);
CREATE INDEX sale_large ON sale (amount) WHERE amount > 40;

CREATE TRIGGER stock_changed AFTER UPDATE OF stock ON item WHEN new.stock <> old.stock
BEGIN
    INSERT INTO journal VALUES ('stock', old.id, old.stock, new.stock);
END;

-- Filling: recursive queries, text functions, blobs.
BEGIN;
WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < size())
INSERT INTO item (id, name, price, stock, tag, data)
SELECT i,
       printf('item-%05d-%s', i, substr('abcdefghijklmnop', 1 + i % 13, 3)),
       round((i * 7919 % 10007) / 37.0, 2),
       i * 31 % 97,
       CASE i % 5 WHEN 0 THEN 'Red' WHEN 1 THEN 'green' WHEN 2 THEN 'BLUE' WHEN 3 THEN 'red' END,
       CAST(printf('%c%c%05x', 65 + i % 26, 97 + i % 7, i * 2654435 % 1048576) AS BLOB)
FROM n;
WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < size() * 6)
INSERT INTO sale (item, customer, amount, day)
SELECT 1 + i * 1103515 % size(), i * 17 % 41, 1 + i * i % 59, date('2020-01-01', '+' || (i % 700) || ' days') FROM n;
COMMIT;

SELECT count(*), min(price), max(price), sum(stock), total(price) FROM item;
SELECT digest(id, name, price, stock, tag, hex(data)) FROM item;
SELECT digest(id, item, customer, amount, day) FROM sale;

-- Searching, sorting, joining.
SELECT tag, count(*), round(avg(price), 4) FROM item GROUP BY tag ORDER BY 2 DESC, 1;
SELECT id, name, price FROM item WHERE tag = 'RED' AND price BETWEEN 20 AND 60 ORDER BY price DESC LIMIT 8 OFFSET 2;
SELECT name FROM item WHERE name LIKE '%0_5-%' ORDER BY name COLLATE backwards LIMIT 7;
SELECT name FROM item WHERE name GLOB 'item-000[1-4]?-*' ORDER BY id DESC LIMIT 5;
SELECT i.tag, strftime('%Y-%m', s.day) AS month, sum(s.amount * i.price) AS turnover
  FROM sale s JOIN item i ON i.id = s.item GROUP BY 1, 2 HAVING turnover > 100 ORDER BY turnover DESC, 1, 2 LIMIT 10;
SELECT customer, (SELECT name FROM item WHERE id = last) FROM (
    SELECT customer, max(item) AS last FROM sale GROUP BY customer) ORDER BY 1 LIMIT 6;
SELECT count(*) FROM item i WHERE NOT EXISTS (SELECT 1 FROM sale s WHERE s.item = i.id AND s.amount > 40);
SELECT a.id, b.id FROM item a LEFT JOIN item b ON b.price = a.price AND b.id > a.id ORDER BY a.id LIMIT 9;
SELECT digest(a.id, b.id) FROM sale a JOIN sale b ON a.day = b.day AND a.customer < b.customer AND b.amount > 45
  WHERE a.amount > 40;
SELECT group_concat(x, '-') FROM (SELECT DISTINCT amount % 7 AS x FROM sale ORDER BY x);
SELECT id FROM item WHERE id IN (3, 1, 4, 1, 5, 9, 2, 6) UNION SELECT 1000000 EXCEPT SELECT 4 ORDER BY 1;
EXPLAIN QUERY PLAN SELECT * FROM sale s JOIN item i ON i.id = s.item WHERE s.day > '2021-01-01' ORDER BY i.price;
ANALYZE;
EXPLAIN QUERY PLAN SELECT * FROM item WHERE tag = 'red' AND price > 10 ORDER BY price DESC;

-- Windows.
SELECT digest(id, r, s, l, n) FROM (
    SELECT id, rank() OVER w AS r, sum(amount) OVER (w ROWS BETWEEN 3 PRECEDING AND 1 FOLLOWING) AS s,
           lag(amount, 2, -1) OVER w AS l, ntile(5) OVER w AS n
      FROM sale WINDOW w AS (PARTITION BY customer ORDER BY day, id));
SELECT tag, percent, running FROM (
    SELECT tag, id, round(cume_dist() OVER (PARTITION BY tag ORDER BY price), 5) AS percent,
           round(sum(price) OVER (PARTITION BY tag ORDER BY price RANGE BETWEEN 5.5 PRECEDING AND CURRENT ROW), 3) AS running
      FROM item) ORDER BY id LIMIT 9;

-- Numbers and their text.
SELECT 7 / 2, -7 / 2, 7 % -3, 7.0 / 2, 1e300 * 1e10, -1e300 * 1e10, 0.1 + 0.2, 9223372036854775807 + 1, 1 << 62, -1 >> 70;
SELECT typeof(1), typeof(1.0), typeof('1'), typeof(x'01'), typeof(NULL), CAST('12abc' AS INTEGER), CAST(1e30 AS INTEGER);
SELECT printf('%d %5.2f %-8s| %08.3e %x %,d %q %Q', 42, 3.14159, 'left', 12345.678, 255, 1234567, 'it''s', 'it''s');
SELECT round(2.5), round(-2.567, 2), abs(-9), max(3, 1, 2), min('b', 'a'), nullif(1, 1), ifnull(NULL, 5), coalesce(NULL, NULL, 3);
SELECT 123456789.123456789, 1.0e-10, 5e-324, 1.7976931348623157e308, 100000000000000000000, 0.000123;
SELECT hex('text'), upper('mixed Case'), length('naïve'), instr('haystack', 'st'), replace('aXbXc', 'X', '--'), trim('  x '),
       unicode('é'), char(72, 105), soundex('Robert'), quote(x'0102'), substr('hello', -3, 2), ltrim('xxabc', 'x');
SELECT date('2024-02-28', '+2 days'), strftime('%s %j %W', '2000-02-29 12:34:56'), julianday('1970-01-01'),
       datetime(951782400, 'unixepoch'), date('2024-01-31', '+1 month'), time('23:59:59', '+2 seconds');

-- JSON.
SELECT json_extract('{"a":[1,2.5,{"b":"c"}],"d":null}', '$.a[2].b'), json('[1, 2 , 3]'), json_array(1, 'x', NULL, 2.5);
SELECT key, value, type, path FROM json_tree('{"p":{"q":[true,false,"s"]},"n":-1.5e3}') ORDER BY id;
SELECT digest(json_object('id', id, 'name', name, 'price', price, 'tags', json_array(tag, stock))) FROM item;
SELECT json_patch('{"a":1,"b":{"c":2}}', '{"b":{"c":null,"d":4}}'), json_set('{"a":1}', '$.b', json('[1]'));
SELECT json_group_array(v) FROM (SELECT DISTINCT stock % 11 AS v FROM item ORDER BY v);

-- Full text.
CREATE VIRTUAL TABLE page USING fts5 (title, body, tokenize = 'porter');
INSERT INTO page (title, body)
SELECT name, (SELECT group_concat(CASE (i.id * 13 + s.id * 7) % 11
                WHEN 0 THEN 'running' WHEN 1 THEN 'runner' WHEN 2 THEN 'quick' WHEN 3 THEN 'brown' WHEN 4 THEN 'foxes'
                WHEN 5 THEN 'jumped' WHEN 6 THEN 'over' WHEN 7 THEN 'lazy' WHEN 8 THEN 'dogs' WHEN 9 THEN 'the' ELSE 'and' END, ' ')
              FROM sale s WHERE s.item = i.id)
  FROM item i;
SELECT count(*) FROM page WHERE page MATCH 'run AND fox';
SELECT rowid, highlight(page, 1, '[', ']') FROM page WHERE page MATCH 'body: "quick brown" OR jump*' ORDER BY rowid LIMIT 3;
SELECT digest(id, score) FROM (
    SELECT rowid AS id, round(bm25(page), 9) AS score FROM page WHERE page MATCH 'lazy NOT and' ORDER BY rank, rowid LIMIT 50);
CREATE VIRTUAL TABLE old_page USING fts3 (body);
INSERT INTO old_page SELECT body FROM page;
SELECT count(*), digest(id, places) FROM (
    SELECT docid AS id, offsets(old_page) AS places FROM old_page WHERE old_page MATCH 'quick NEAR/4 jumped' LIMIT 100);

-- Boxes.
CREATE VIRTUAL TABLE box USING rtree (id, left, right, bottom, top);
INSERT INTO box SELECT id, price, price + stock / 10.0, stock, stock + 3 FROM item;
SELECT count(*), sum(id) FROM box WHERE left < 120 AND right > 60 AND bottom < 50 AND top > 20;

-- Changes, triggers, rolling back, upserts, foreign keys.
UPDATE item SET stock = stock + 5 WHERE id % 3 = 0;
SELECT count(*), digest(what, item, old, new) FROM journal;
BEGIN;
DELETE FROM item WHERE id % 4 = 1;
SELECT (SELECT count(*) FROM item), (SELECT count(*) FROM sale);
SAVEPOINT inner_part;
UPDATE sale SET amount = amount * 2;
SELECT sum(amount) FROM sale;
ROLLBACK TO inner_part;
SELECT sum(amount) FROM sale;
ROLLBACK;
SELECT (SELECT count(*) FROM item), (SELECT count(*) FROM sale);
INSERT INTO item (id, name, price) VALUES (5, 'again', 1) ON CONFLICT (id) DO UPDATE SET price = price + excluded.price RETURNING id, price;
WITH best AS (SELECT customer, sum(amount) AS total FROM sale GROUP BY customer)
UPDATE item SET stock = (SELECT total FROM best WHERE customer = item.id % 41) WHERE id <= 40;
SELECT digest(id, stock) FROM item;
DELETE FROM sale WHERE day < '2020-06-01';
VACUUM;
PRAGMA integrity_check;
SELECT count(*) FROM dbstat WHERE name = 'item';

-- What must fail, and how.
INSERT INTO item (id, name, price) VALUES (NULL, 'negative', -1);
INSERT INTO item (id, name, price) SELECT 2000000, name, 1 FROM item WHERE id = 7;
INSERT INTO sale (item) VALUES (3000000);
SELECT no_such_column FROM item;
SELECT json_extract('{"a":', '$.a');
SELECT abs(-9223372036854775808);

-- Schema changes.
ALTER TABLE journal RENAME COLUMN what TO kind;
ALTER TABLE journal ADD COLUMN note TEXT DEFAULT 'none';
CREATE VIEW rich AS SELECT name, price FROM item WHERE price > (SELECT avg(price) FROM item);
SELECT count(*), digest(name) FROM rich;
DROP TABLE box;
SELECT type, name, length(sql) FROM sqlite_schema WHERE name NOT LIKE 'sqlite_%' ORDER BY type, name;

-- A puzzle: queens on a board, by recursion over text.
WITH RECURSIVE
    place (k) AS (SELECT 0 UNION ALL SELECT k + 1 FROM place WHERE k < 5),
    board (row, path) AS (
        SELECT 0, ''
        UNION ALL
        SELECT row + 1, path || k FROM board JOIN place
         WHERE row < 6 AND NOT EXISTS (
             SELECT 1 FROM place AS p WHERE p.k < row AND (
                 substr(path, p.k + 1, 1) = CAST(place.k AS TEXT)
                 OR abs(CAST(substr(path, p.k + 1, 1) AS INTEGER) - place.k) = row - p.k)))
SELECT path FROM board WHERE row = 6 ORDER BY path;
