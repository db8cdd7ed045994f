REPLACE INTO `Select` VALUES (3, 3, 'z', 3);
