CREATE TABLE `2024-orders` (`1` int PRIMARY KEY, `2e3` int);
INSERT INTO `2024-orders` VALUES (1, 1), (2, 2);
