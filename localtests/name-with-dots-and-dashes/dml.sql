REPLACE INTO `a.b-c.d` VALUES (3, 3);
