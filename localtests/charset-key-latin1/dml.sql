UPDATE t SET n = n + 1 WHERE n % 3 = 0;
REPLACE INTO t VALUES ('Äpfel', 1), ('öl', 2), ('€', 3);
DELETE FROM t WHERE k = 'ÖL';
