REPLACE INTO `täble_表_ж` VALUES (100, 'x', 3);
UPDATE `täble_表_ж` SET `日本` = `日本` + 1 WHERE `ключ` % 5 = 0;
