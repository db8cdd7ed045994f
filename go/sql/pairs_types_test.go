package sql

import (
	"fmt"

	"github.com/github/gh-ost/go/internal/testserver"
)

// pairedTypes are groups of types, of which each is changed into each other of its group; the values are on some edge.
func pairedTypes() map[string][]conversion {
	return map[string][]conversion{
		"all kinds": {
			{from: "tinyint", values: []string{"-128", "127", "0"}},
			{from: "tinyint unsigned", values: []string{"255"}},
			{from: "int", values: []string{"-5", "70101", "2147483647"}},
			{from: "int(8) unsigned zerofill", values: []string{"42"}},
			{from: "bigint", values: []string{"20230101", "-9223372036854775808", "101112", "-101112", "70", "2024"}},
			{from: "bigint unsigned", values: []string{"18446744073709551615", "9223372036854775808"}},
			{from: "decimal(10,2)", values: []string{"-1.50", "12345678.99", "0.00"}},
			{from: "decimal(65,30)", values: []string{"1e-30", "123456789012345678901234567890.5"}},
			{from: "float", values: []string{"0.1", "1e20", "-3.5"}},
			{from: "double", values: []string{"1e300", "0.1", "123456.5", "2.5", "101112", "101112.5", "20230102030405", "-1", "70"}},
			{from: "double(10,2)", values: []string{"1.50"}},
			{from: "bit(8)", values: []string{"b'1000001'", "b'0'", "b'0010111'"}},
			{from: "bit(64)", values: []string{"~0", "b'110001'"}},
			{from: "year", values: []string{"2024", "0", "1970", "1999", "2069"}},
			{from: "date", values: []string{"'2023-01-02'", "'0000-00-00'", "'2023-02-03'", "'1000-01-01'"}},
			{from: "time", values: []string{"'-838:59:59'", "'25:00:00'", "'10:11:12'"}},
			{from: "time(6)", values: []string{"'10:11:12.999999'"}},
			{from: "datetime", values: []string{"'2023-01-02 03:04:05'", "'0000-00-00 00:00:00'"}},
			{from: "datetime(6)", values: []string{"'2023-12-31 23:59:59.999999'"}},
			{from: "timestamp(3) null", values: []string{"'2023-01-02 03:04:05.678'"}},
			{from: "char(5)", values: []string{"'a'", "'12'", "''", "'12:30'"}},
			{from: "char(40) character set utf8mb4", values: []string{"'ü€😀'", "'2023-01-02'"}},
			{from: "varchar(300)", values: []string{"'ab   '", "repeat('x',300)", "'1.5'", "'12abc'", "'1'"}},
			{from: "varchar(20) character set ucs2", values: []string{"'ü€'", "'42'"}},
			{from: "varchar(20) character set utf8mb4", values: []string{"'ü€😀'", "'2023-01-02 03:04:05'", "' 7 '"}},
			{from: "tinytext", values: []string{"repeat('y',255)", "'3'"}},
			{from: "text character set utf8mb4", values: []string{"repeat('ü',200)", "'0x41'", "'10:11:12'", "'{}'"}},
			{from: "mediumtext", values: []string{"repeat('z',70000)", "'x'"}},
			{from: "longtext character set utf8mb4", values: []string{"'[1]'", "repeat('ab',40000)", "'2023-01-02'"}},
			{from: "binary(4)", values: []string{`'a\0\0'`, "'12  '", "x'ff00'"}},
			{from: "varbinary(300)", values: []string{"x'c3bc'", "x'ff'", "repeat('q',300)", "'5'"}},
			{from: "blob", values: []string{"x'ff00ff'", "'1'", "repeat('b',300)"}},
			{from: "longblob", values: []string{"repeat('b',70000)", "x'e282ac'"}},
			{from: "enum('a','1','','ü')", values: []string{"'1'", "'a'", "''"}},
			{from: "set('a','b','1')", values: []string{"'a,b'", "''", "'1'"}},
			{from: "json", values: []string{`'{"a": 1}'`, `'"s"'`, "'12'", "'null'", "'true'"}},
			{from: "varchar(40)", values: []string{"'1.5'", "'-0.4'", "'1e2'", "'12:30'", "'20230102'", "'2023-01-02T03:04:05'", "'2023-1-2'", "' 2023-01-02'", "'10:11:12.5'", "'0'", "'99999999999999999999'", "'1e400'", "'TRUE'", "'-1'", "'70'"}},
			{from: "bit(24)", values: []string{"70101", "b'1'", "10112"}},
			{from: "decimal(20,6)", values: []string{"101112.5", "20230102030405.678901", "-3.5", "70", "2024", "0.4"}},
			{from: "point", values: []string{"ST_GeomFromText('POINT(1 2)')"}},
			{from: "geometry", values: []string{"ST_GeomFromText('POINT(1 2)')"}},
			{from: "timestamp null", values: []string{"'2023-01-02 03:04:05'"}},
			{from: "vector(2)", values: []string{"string_to_vector('[1,2]')"}, only: testserver.MySQL},
			{from: "inet6", values: []string{"'::1'", "'ffff::ffff'"}, only: testserver.MariaDB},
			{from: "uuid", values: []string{"'123e4567-e89b-12d3-a456-426614174000'"}, only: testserver.MariaDB},
			{from: "inet4", values: []string{"'1.2.3.4'"}, only: testserver.MariaDB},
		},
		"character sets": inCharacterSets(),
		"numbers and times": {
			{from: "double", values: []string{"0", "1", "70", "101112", "-101112", "8385959", "8385960", "10000000000", "20230102", "230102", "70101", "20230102030405", "230102030405", "101112.5", "101112.4999", "59.9999999", "0.5", "-0.5", "1e15", "99991231", "991231", "0.0001", "5959", "6060", "1e-5"}},
			{from: "float", values: []string{"0", "1", "70", "101112", "-101112", "8385959", "8385960", "10000000000", "20230102", "230102", "70101", "20230102030405", "230102030405", "101112.5", "101112.4999", "59.9999999", "0.5", "-0.5", "1e15", "99991231", "991231", "0.0001", "5959", "6060", "1e-5"}},
			{from: "decimal(20,6)", values: []string{"0", "1", "70", "101112", "-101112", "8385959", "8385960", "10000000000", "20230102", "230102", "70101", "20230102030405", "230102030405", "101112.5", "101112.4999", "59.9999999", "0.5", "-0.5", "1e15", "99991231", "991231", "0.0001", "5959", "6060", "1e-5"}},
			{from: "decimal(14,0)", values: []string{"0", "1", "70", "101112", "-101112", "8385959", "8385960", "10000000000", "20230102", "230102", "70101", "20230102030405", "230102030405", "101112.5", "101112.4999", "59.9999999", "0.5", "-0.5", "1e15", "99991231", "991231", "0.0001", "5959", "6060", "1e-5"}},
			{from: "double(20,3)", values: []string{"0", "1", "70", "101112", "-101112", "8385959", "8385960", "10000000000", "20230102", "230102", "70101", "20230102030405", "230102030405", "101112.5", "101112.4999", "59.9999999", "0.5", "-0.5", "1e15", "99991231", "991231", "0.0001", "5959", "6060", "1e-5"}},
			{from: "float(12,2)", values: []string{"0", "1", "70", "101112", "-101112", "8385959", "8385960", "10000000000", "20230102", "230102", "70101", "20230102030405", "230102030405", "101112.5", "101112.4999", "59.9999999", "0.5", "-0.5", "1e15", "99991231", "991231", "0.0001", "5959", "6060", "1e-5"}},
			{from: "bigint", values: []string{"0", "1", "70", "101112", "-101112", "8385959", "8385960", "10000000000", "20230102", "230102", "70101", "20230102030405", "230102030405", "99991231", "991231", "5959", "6060"}},
			{from: "int", values: []string{"0", "1", "70", "101112", "-101112", "8385959", "8385960", "10000000000", "20230102", "230102", "70101", "20230102030405", "230102030405", "99991231", "991231", "5959", "6060"}},
			{from: "int unsigned", values: []string{"0", "1", "70", "101112", "8385959", "8385960", "10000000000", "20230102", "230102", "70101", "20230102030405", "230102030405", "99991231", "991231", "5959", "6060"}},
			{from: "bigint(14) unsigned zerofill", values: []string{"0", "1", "70", "101112", "8385959", "8385960", "10000000000", "20230102", "230102", "70101", "20230102030405", "230102030405", "99991231", "991231", "5959", "6060"}},
			{from: "bit(50)", values: []string{"0", "1", "70", "101112", "8385959", "8385960", "10000000000", "20230102", "230102", "70101", "20230102030405", "230102030405", "99991231", "991231", "5959", "6060"}},
			{from: "float zerofill", values: []string{"1", "2.5", "70101", "101112", "20230102"}},
			{from: "double zerofill", values: []string{"1", "2.5", "70101", "101112", "20230102"}},
			{from: "float(7,2) zerofill", values: []string{"1", "2.5", "70101", "101112", "20230102"}},
			{from: "decimal(7,2) zerofill", values: []string{"1", "2.5", "70101", "101112", "20230102"}},
			{from: "int zerofill", values: []string{"1", "2.5", "70101", "101112", "20230102"}},
			{from: "tinyint zerofill", values: []string{"1", "2.5", "70101", "101112", "20230102"}},
			{from: "decimal(7) zerofill", values: []string{"1", "2.5", "70101", "101112", "20230102"}},
			{from: "varchar(60)", values: []string{"'a'"}},
			{from: "enum('0001','1','2')", values: []string{"'1'"}},
			{from: "float zerofill", values: []string{"1", "2.5", "70101", "101112", "20230102"}},
			{from: "double zerofill", values: []string{"1", "2.5", "70101", "101112", "20230102"}},
			{from: "float(7,2) zerofill", values: []string{"1", "2.5", "70101", "101112", "20230102"}},
			{from: "decimal(7,2) zerofill", values: []string{"1", "2.5", "70101", "101112", "20230102"}},
			{from: "int zerofill", values: []string{"1", "2.5", "70101", "101112", "20230102"}},
			{from: "tinyint zerofill", values: []string{"1", "2.5", "70101", "101112", "20230102"}},
			{from: "decimal(7) zerofill", values: []string{"1", "2.5", "70101", "101112", "20230102"}},
			{from: "varchar(60)", values: []string{"'a'"}},
			{from: "enum('0001','1','2')", values: []string{"'1'"}},
			{from: "year", values: []string{"0", "1970", "2024"}},
			{from: "varchar(30)", values: []string{"'0'", "'1'", "'70'", "'101112'", "'-101112'", "'8385959'", "'8385960'", "'10000000000'", "'20230102'", "'230102'", "'70101'", "'20230102030405'", "'230102030405'", "'101112.5'", "'101112.4999'", "'59.9999999'", "'0.5'", "'-0.5'", "'1e15'", "'99991231'", "'991231'", "'0.0001'", "'5959'", "'6060'", "'1e-5'", "'2023-01-02'", "'10:11'", "'2023-01-02 03:04:05.5'", "'1 02:03:04'", "'2023-01-02 25:00:00'", "'20230102T030405'", "'12:30 pm'", "'-10:11'"}},
			{from: "text", values: []string{"'0'", "'1'", "'70'", "'101112'", "'-101112'", "'8385959'", "'8385960'", "'10000000000'", "'20230102'", "'230102'", "'70101'", "'20230102030405'", "'230102030405'", "'101112.5'", "'101112.4999'", "'59.9999999'", "'0.5'", "'-0.5'", "'1e15'", "'99991231'", "'991231'", "'0.0001'", "'5959'", "'6060'", "'1e-5'", "'2023-01-02'", "'10:11'", "'2023-01-02 03:04:05.5'", "'1 02:03:04'", "'2023-01-02 25:00:00'", "'20230102T030405'", "'12:30 pm'", "'-10:11'"}},
			{from: "varbinary(30)", values: []string{"'0.0001'", "'5959'", "'6060'", "'1e-5'", "'2023-01-02'", "'10:11'", "'2023-01-02 03:04:05.5'", "'1 02:03:04'", "'2023-01-02 25:00:00'", "'20230102T030405'", "'12:30 pm'", "'-10:11'"}},
			{from: "char(30) character set ucs2", values: []string{"'0.0001'", "'5959'", "'6060'", "'1e-5'", "'2023-01-02'", "'10:11'", "'2023-01-02 03:04:05.5'", "'1 02:03:04'", "'2023-01-02 25:00:00'", "'20230102T030405'", "'12:30 pm'", "'-10:11'"}},
			{from: "json", values: []string{`'"2023-01-02"'`, "'101112'", "'20230102'", "'10.5'", "cast(cast('2023-01-02' as date) as json)", "cast(cast('10:11:12' as time) as json)"}, only: testserver.MySQL},
			{from: "date", values: []string{"'2023-05-06'"}},
			{from: "time", values: []string{"'10:11:12'"}},
			{from: "time(3)", values: []string{"'10:11:12'"}},
			{from: "datetime", values: []string{"'2023-05-06'"}},
			{from: "datetime(6)", values: []string{"'2023-05-06'"}},
			{from: "timestamp null", values: []string{"'2023-05-06'"}},
			{from: "timestamp(2) null", values: []string{"'2023-05-06'"}},
			{from: "time(6)", values: []string{"'10:11:12.999999'", "'-00:00:00.000001'", "'838:59:59'", "'24:00:00'"}},
			{from: "datetime(3)", values: []string{"'2023-12-31 23:59:59.999'", "'0000-00-00'", "'9999-12-31 23:59:59.999'"}},
		},
	}
}

// inCharacterSets are text in many character sets, and bytes that are none.
func inCharacterSets() []conversion {
	bytesOf := map[string][]string{
		"ucs2": {"0041d800", "ffff"}, "utf16": {"0041d800", "ffff"}, "utf16le": {"0041d800", "ffff"}, "utf32": {"0000ffff"},
		"utf8mb3": {"00", "7f"}, "utf8mb4": {"00", "7f"},
	}
	for _, charset := range []string{"latin1", "latin2", "ascii", "cp1251", "koi8r", "greek", "tis620", "big5", "gbk", "gb2312", "gb18030", "sjis", "cp932", "ujis", "eucjpms", "euckr"} {
		bytesOf[charset] = []string{"5c7e", "80", "815c", "a1a1", "8160", "fefe"}
	}
	types := []conversion{
		{from: "varbinary(80)", values: []string{"x'ff'", "x'c3a9'", "'abc'", "x'd800'", "x'00000041'", "x'8140'"}},
		{from: "enum('a','b') character set latin1", values: []string{"'a'"}},
		{from: "set('a','é') character set utf8mb4", values: []string{"'é'", "'a,é'"}},
	}
	for charset, raw := range bytesOf {
		values := []string{"'a'", "'ab  '", "''"}
		for _, text := range []string{"é€", "日本語～〜", "ж😀"} {
			values = append(values, fmt.Sprintf("CONVERT('%s' USING %s)", text, charset))
		}
		for _, hex := range raw {
			values = append(values, "_binary x'"+hex+"'")
		}
		c := conversion{from: "varchar(20) character set " + charset, values: values}
		if charset == "gb18030" {
			c.only = testserver.MySQL
		}
		types = append(types, c)
	}
	return types
}
