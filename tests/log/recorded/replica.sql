PRAGMA application_id = 1114992210;
PRAGMA user_version = 2;
BEGIN TRANSACTION;
CREATE TABLE entries (
  chain INTEGER NOT NULL,
  evening TEXT NOT NULL,
  n INTEGER NOT NULL CHECK (n > 0),
  fact TEXT NOT NULL,
  origin TEXT NOT NULL,
  mac TEXT NOT NULL,
  PRIMARY KEY (chain, n)
) STRICT, WITHOUT ROWID;
INSERT INTO "entries" VALUES(1,'e1',1,'{"kind":"evening","t":0,"rules":"gong","players":["Ann","Bob","Cat","Dee"],"id":"e1","no":3,"overrides":{}}','null','ee6ac1ecad2e5d951f832fbceaee4f21');
INSERT INTO "entries" VALUES(1,'e1',2,'{"kind":"roll","t":1500,"table":1,"dice":[1,2,6],"source":"dice","epoch":1}','{"table":1,"stream":"s","seq":1}','bb154abf377819f99f65f27dc8346944');
INSERT INTO "entries" VALUES(1,'e1',3,'{"kind":"pause","t":1800,"minutes":5}','null','58a704a0b79a4478035487922cc3504f');
INSERT INTO "entries" VALUES(2,'e1',1,'{"kind":"evening","t":0,"rules":"gong","players":["Ann","Bob","Cat","Dee"],"id":"e1","no":3,"overrides":{}}','null','ee6ac1ecad2e5d951f832fbceaee4f21');
INSERT INTO "entries" VALUES(2,'e1',2,'{"kind":"roll","t":1500,"table":1,"dice":[1,2,6],"source":"dice","epoch":1}','{"table":1,"stream":"s","seq":1}','bb154abf377819f99f65f27dc8346944');
INSERT INTO "entries" VALUES(2,'e1',3,'{"kind":"roll","t":1700,"table":2,"dice":[3,3,3],"source":"dice","epoch":1}','{"table":2,"stream":"s","seq":2,"mark":["box",7]}','df7b1aa08ea5254152e2bfdeff789ac1');
INSERT INTO "entries" VALUES(2,'e1',4,'{"kind":"pause","t":1800,"minutes":5}','null','85f241593bdc289b860573d97b700186');
CREATE TABLE kept (key TEXT PRIMARY KEY, value BLOB NOT NULL) STRICT;
CREATE TABLE warnings (position INTEGER PRIMARY KEY, at INTEGER NOT NULL, text TEXT NOT NULL) STRICT;
CREATE TRIGGER ring AFTER INSERT ON warnings BEGIN
  DELETE FROM warnings WHERE position <= NEW.position - 200;
END;
COMMIT;
