REPLACE INTO `my ``odd`` 'table' "name"` VALUES (3, 3, 'z', 3, 3, 3, 3);
UPDATE `my ``odd`` 'table' "name"` SET `k?l` = `k?l` + 1, `c'd` = 'q''' WHERE `the id` = 1;
