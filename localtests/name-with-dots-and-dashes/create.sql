CREATE TABLE `a.b-c.d` (`x.y` int PRIMARY KEY, `-` int);
INSERT INTO `a.b-c.d` VALUES (1, 1), (2, 2);
