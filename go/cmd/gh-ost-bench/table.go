package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/github/gh-ost/go/sql"
)

// table is one whose rows follow from their number alone, so that every run has the same data.
type table struct {
	name        string
	definitions []string
	columns     []string // all but id
	values      []string // SQL for each of them, where n is the row's number from 1 on
	binary      []string // those columns that are no text; never NULL
}

// narrow is what sysbench makes: about 190 bytes a row and one secondary index.
func narrow(name string) table {
	return table{
		name: name,
		definitions: []string{
			"id int NOT NULL AUTO_INCREMENT", "k int NOT NULL DEFAULT 0", "c char(120) NOT NULL DEFAULT ''", "pad char(60) NOT NULL DEFAULT ''",
			"PRIMARY KEY (id)", "KEY k_1 (k)",
		},
		columns: []string{"k", "c", "pad"},
		values: []string{"CRC32(n) % 1000003", "LEFT(CONCAT(SHA2(n, 256), SHA2(-n, 256)), 119)",
			"LEFT(SHA2(CONCAT('pad', n), 256), 59)"},
	}
}

// wide has 23 columns of many types, some 900 bytes a row, and three secondary indexes.
func wide(name string) table {
	return table{
		name: name,
		definitions: []string{
			"id bigint unsigned NOT NULL AUTO_INCREMENT", "reference char(36) NOT NULL", "email varchar(120) NOT NULL", "name varchar(80) NULL",
			"city varchar(60) NOT NULL", "street varchar(200) NULL", "country char(2) CHARACTER SET latin1 NOT NULL",
			"status enum('new','paid','sent','returned') NOT NULL", "amount decimal(12,2) NOT NULL", "tax decimal(12,4) NULL", "weight double NULL",
			"flags bit(8) NOT NULL", "count_1 int NOT NULL", "count_2 smallint unsigned NULL", "count_3 bigint NOT NULL",
			"born date NULL", "created_at datetime(3) NOT NULL", "updated_at datetime NOT NULL", "open_until time NULL",
			"token varbinary(32) NOT NULL", "document json NULL", "notes text NULL", "extra varchar(300) NOT NULL DEFAULT ''",
			"PRIMARY KEY (id)", "KEY email_idx (email)", "KEY city_idx (city, created_at)", "KEY status_idx (status, amount)",
		},
		columns: []string{"reference", "email", "name", "city", "street", "country", "status", "amount", "tax", "weight", "flags",
			"count_1", "count_2", "count_3", "born", "created_at", "updated_at", "open_until", "token", "document", "notes", "extra"},
		values: []string{
			"LEFT(SHA2(n, 256), 36)", "CONCAT(LEFT(SHA2(-n, 256), 12), '@example.com')", "IF(n % 7 = 0, NULL, CONCAT('Jürgen ', n))",
			"CONCAT('city ', CRC32(n) % 5000)", "IF(n % 3 = 0, NULL, CONCAT('Straße ', n, ' – ', n % 97))", "ELT(1 + n % 4, 'de', 'fr', 'se', 'us')",
			"1 + n % 4", "n % 100000 / 100", "IF(n % 5 = 0, NULL, n / 7000)", "n / 3", "n % 256",
			"CRC32(n) % 100000", "IF(n % 11 = 0, NULL, n % 60000)", "n * 1000003",
			"DATE_ADD('1950-01-01', INTERVAL n % 20000 DAY)", "DATE_ADD('2020-01-01', INTERVAL n * 777 SECOND)",
			"DATE_ADD('2020-01-01', INTERVAL n * 999 SECOND)", "SEC_TO_TIME(n % 86400)",
			"UNHEX(SHA2(n, 256))", "CONCAT('{\"n\": ', n, ', \"tags\": [\"a\", \"b\", null], \"half\": ', n, '.5}')",
			"IF(n % 2 = 0, NULL, REPEAT(LEFT(SHA2(n, 256), 20), 1 + n % 20))", "REPEAT(LEFT(SHA2(-n, 256), 10), n % 30)",
		},
		binary: []string{"flags", "token"},
	}
}

// fill makes the table and its rows anew.
func (t table) fill(ctx context.Context, s *server, rows int) error {
	name := sql.EscapeName(t.name)
	digits := "(SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9)"
	sum, from, power := []string{}, []string{}, 1
	for place := 0; power < rows || place == 0; place++ {
		sum = append(sum, fmt.Sprintf("%d * d%d.d", power, place))
		from = append(from, fmt.Sprintf("%s AS d%d", digits, place))
		power *= 10
	}
	numbers := fmt.Sprintf("(SELECT 1 + %s AS n FROM %s) AS numbers", strings.Join(sum, " + "), strings.Join(from, ", "))
	return s.unlogged(ctx,
		"DROP TABLE IF EXISTS "+name,
		"CREATE TABLE "+name+" ("+strings.Join(t.definitions, ", ")+") ENGINE=InnoDB DEFAULT CHARSET=utf8mb4",
		fmt.Sprintf("INSERT INTO %s (id, %s) SELECT n, %s FROM %s WHERE n <= %d ORDER BY n", name, strings.Join(t.columns, ", "),
			strings.Join(t.values, ", "), numbers, rows),
	)
}

// clone makes a table with the same rows under another name, as if just made: in the order of the key.
func (t table) clone(ctx context.Context, s *server, name string) error {
	from, to := sql.EscapeName(t.name), sql.EscapeName(name)
	return s.unlogged(ctx,
		"CREATE TABLE "+to+" LIKE "+from,
		"INSERT INTO "+to+" SELECT * FROM "+from+" ORDER BY id",
		"ANALYZE TABLE "+to,
	)
}

// checksum sums up the table's rows. Two tables with the same are the same, but for a chance of 1 in 2^64.
func (t table) checksum(ctx context.Context, s *server, name string) (string, error) {
	quoted := []string{"id"}
	for _, column := range t.columns {
		if slices.Contains(t.binary, column) {
			quoted = append(quoted, "HEX("+column+")")
		} else {
			quoted = append(quoted, "QUOTE("+column+")") // NULL becomes a word without quotes
		}
	}
	var sum string
	err := s.db.QueryRowContext(ctx, fmt.Sprintf(
		"SELECT CONCAT(COUNT(*), ' rows, ', LOWER(HEX(COALESCE(BIT_XOR(CAST(CONV(LEFT(SHA2(CONCAT_WS(',', %s), 256), 16), 16, 10) AS UNSIGNED)), 0)))) FROM %s",
		strings.Join(quoted, ", "), sql.EscapeName(name))).Scan(&sum)
	if err != nil {
		return "", fmt.Errorf("reading the checksum of %s: %w", name, err)
	}
	return sum, nil
}
