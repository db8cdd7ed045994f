REPLACE INTO t SELECT id + 10, l1, l2, gb, b5, sj, c9, u2, u16, u32, u3, u4, bi, eu, ej, a, r, w, u16le FROM t WHERE id <= 5;
UPDATE t SET l1 = 'é', gb = '誠', b5 = '許功蓋', sj = '能ソ', u2 = 'é', u16 = '😀é', u32 = '😀', r = 'ж' WHERE id = 4;
