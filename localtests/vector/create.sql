CREATE TABLE t (id int PRIMARY KEY, v vector(3), w vector);
INSERT INTO t VALUES (1, TO_VECTOR('[1,2,3]'), TO_VECTOR('[0.1]')), (2, TO_VECTOR('[-1e30,0,1e-30]'), TO_VECTOR('[1,2,3,4,5,6,7,8]')), (3, NULL, NULL);
