CREATE TABLE `my ``odd`` 'table' "name"` (`the id` int PRIMARY KEY, `a``b` int, `c'd` varchar(10), `e"f` int, `g.h` int, `i;j` int, `k?l` int, UNIQUE KEY `a key` (`a``b`));
INSERT INTO `my ``odd`` 'table' "name"` VALUES (1, 1, 'x', 1, 1, 1, 1), (2, 2, 'y', 2, 2, 2, 2);
