REPLACE INTO t VALUES (5,'😀','q'),(6,'🐬x','😀'); UPDATE t SET e='🐬x' WHERE id=1;
