PRAGMA application_id = 1114992202;
PRAGMA user_version = 2;
BEGIN TRANSACTION;
CREATE TABLE answers (position INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, answer BLOB NOT NULL) STRICT;
INSERT INTO "answers" VALUES(1,'k1',X'7B226964223A226B31222C22646F6E65223A747275657D');
CREATE TABLE asides (
  position INTEGER PRIMARY KEY,
  evening TEXT NOT NULL,
  origin_table INTEGER NOT NULL,
  stream TEXT NOT NULL,
  seq INTEGER NOT NULL,
  fact BLOB NOT NULL,
  UNIQUE (origin_table, stream, seq)
) STRICT;
INSERT INTO "asides" VALUES(1,'e0',3,'t',4,X'7B226B696E64223A2262656C6C5F7365656E227D');
CREATE TABLE facts (
  position INTEGER PRIMARY KEY,
  evening TEXT NOT NULL,
  n INTEGER NOT NULL CHECK (n > 0),
  fact TEXT NOT NULL,
  mac TEXT NOT NULL,
  origin_table INTEGER,
  stream TEXT,
  seq INTEGER,
  mark TEXT
, UNIQUE (evening, n), UNIQUE (evening, origin_table, stream, seq)) STRICT;
INSERT INTO "facts" VALUES(1,'e1',1,'{"kind":"evening","t":0,"rules":"gong","players":["Ann","Bob","Cat","Dee"],"id":"e1","no":3,"overrides":{}}','ee6ac1ecad2e5d951f832fbceaee4f21',NULL,NULL,NULL,NULL);
INSERT INTO "facts" VALUES(2,'e1',2,'{"kind":"roll","t":1500,"table":1,"dice":[1,2,6],"source":"dice","epoch":1}','bb154abf377819f99f65f27dc8346944',1,'s',1,NULL);
INSERT INTO "facts" VALUES(3,'e1',3,'{"kind":"roll","t":1700,"table":2,"dice":[3,3,3],"source":"dice","epoch":1}','df7b1aa08ea5254152e2bfdeff789ac1',2,'s',2,'["box",7]');
INSERT INTO "facts" VALUES(4,'e1',4,'{"kind":"pause","t":1800,"minutes":5}','85f241593bdc289b860573d97b700186',NULL,NULL,NULL,NULL);
CREATE TABLE forks (
  position INTEGER PRIMARY KEY,
  evening TEXT NOT NULL,
  n INTEGER NOT NULL CHECK (n > 0),
  fact TEXT NOT NULL,
  mac TEXT NOT NULL,
  origin_table INTEGER,
  stream TEXT,
  seq INTEGER,
  mark TEXT
) STRICT;
INSERT INTO "forks" VALUES(1,'e1',3,'{"kind":"pause","t":1800,"minutes":5}','58a704a0b79a4478035487922cc3504f',NULL,NULL,NULL,NULL);
CREATE TABLE kept (key TEXT PRIMARY KEY, value BLOB NOT NULL) STRICT;
INSERT INTO "kept" VALUES('began',X'7B226174223A312E302C22626F6F74223A2262222C226576656E696E67223A226531227D');
CREATE TABLE warnings (position INTEGER PRIMARY KEY, at INTEGER NOT NULL, text TEXT NOT NULL) STRICT;
CREATE TRIGGER ring AFTER INSERT ON warnings BEGIN
  DELETE FROM warnings WHERE position <= NEW.position - 200;
END;
CREATE TRIGGER asides_ring AFTER INSERT ON asides BEGIN
  DELETE FROM asides WHERE position <= NEW.position - 20000;
END;
CREATE TRIGGER answers_ring AFTER INSERT ON answers BEGIN
  DELETE FROM answers WHERE position <= NEW.position - 1000;
END;
COMMIT;
