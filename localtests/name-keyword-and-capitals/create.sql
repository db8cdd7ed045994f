CREATE TABLE `Select` (`order` int PRIMARY KEY, `key` int, `from` varchar(10), `Table` int, KEY `group` (`key`));
INSERT INTO `Select` VALUES (1, 1, 'x', 1), (2, 2, 'y', 2);
