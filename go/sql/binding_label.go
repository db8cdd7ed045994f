package sql

import (
	"fmt"
	"math/bits"
	"strconv"
	"strings"
)

// enumEncoders write an ENUM by its index where the target has the same labels, and else by its label. They differ in the
// index 0, the empty value that stands for an error: see errorValueText.
func enumEncoders(source, target Column, zones zones) (store, compare encoder, err error) {
	byNumber := takesLabelNumber(target.Type)
	toEnum := target.Type.Kind == KindEnum
	if toEnum && source.Type.sameLabels(target.Type) {
		byNumber = true
	}
	errorValue := errorValueText(target.Type)
	labels := labelExpression(source, target)
	encode := func(comparing bool) encoder {
		return func(query *strings.Builder, args *[]any, value any) error {
			index, err := labelIndex(source.Type, value)
			if err != nil {
				return err
			}
			switch {
			case index == 0 && toEnum && !comparing:
				appendText(query, args, errorValue)
			case byNumber || (index == 0 && toEnum):
				appendArgument(query, args, index)
			case index == 0:
				appendText(query, args, "")
			default:
				query.WriteString(labels)
				*args = append(*args, source.Type.Labels[index-1])
			}
			return nil
		}
	}
	return zones.wrapText(source.Type, encode(false)), zones.wrapText(source.Type, encode(true)), nil
}

// takesLabelNumber is true of a target that a native ALTER gives a label's number to.
func takesLabelNumber(target ColumnType) bool {
	return target.IsNumeric() || target.Kind == KindBit || target.Kind == KindYear
}

// errorValueText is text that stores the index 0 in an ENUM. Strict mode refuses the number 0 and the empty string, but
// takes digits that are not a label as an index, and so lets 0 pass, as a native ALTER does.
func errorValueText(target ColumnType) string {
	taken := make(map[string]bool, len(target.Labels))
	for _, label := range target.Labels {
		taken[strings.TrimRight(label, " ")] = true
	}
	text := "0"
	for taken[text] {
		text += "0"
	}
	return text
}

// labelExpression is the expression for a label. A target without a character set receives the bytes of the source's.
func labelExpression(source, target Column) string {
	if target.Type.IsBinary() && source.Charset != "" {
		return "CONVERT(_utf8mb4 ? USING " + source.Charset + ")"
	}
	return "_utf8mb4 ?"
}

// labelIndex takes a decoded index, the digits that a range read gives (see boundExpression), or a label.
func labelIndex(column ColumnType, value any) (int64, error) {
	if text, ok := textOf(value); ok {
		if number, err := strconv.ParseInt(text, 10, 64); err == nil {
			value = number
		} else {
			for i, label := range column.Labels {
				if label == text {
					return int64(i + 1), nil
				}
			}
			return 0, fmt.Errorf("%q is no label of it", text)
		}
	}
	if unsigned, ok := value.(uint64); ok {
		value = int64(unsigned)
	}
	index, ok := signedValue(value)
	if !ok {
		return 0, unexpected(value)
	}
	if index < 0 || index > int64(len(column.Labels)) {
		return 0, fmt.Errorf("there is no label %d", index)
	}
	return index, nil
}

// setEncoder writes a SET by its mask where the target has the same labels, and else by its list of labels.
func setEncoder(source, target Column) encoder {
	byNumber := takesLabelNumber(target.Type) ||
		(target.Type.Kind == KindSet && source.Type.sameLabels(target.Type))
	labels := labelExpression(source, target)
	return func(query *strings.Builder, args *[]any, value any) error {
		mask, err := setMask(source.Type, value)
		if err != nil {
			return err
		}
		if byNumber {
			appendArgument(query, args, mask)
			return nil
		}
		query.WriteString(labels)
		*args = append(*args, setText(source.Type, mask))
		return nil
	}
}

// setComparison finds a set whose labels stand at other places in the target by its mask there: the text of a SET lists its
// labels in the order of definition. Servers use an index to compare a SET with a number.
func setComparison(source ColumnType, places []int) encoder {
	return func(query *strings.Builder, args *[]any, value any) error {
		mask, err := setMask(source, value)
		if err != nil {
			return err
		}
		var moved uint64
		for i, place := range places {
			moved |= mask >> i & 1 << place
		}
		appendArgument(query, args, moved)
		return nil
	}
}

// setMask takes a decoded mask, or the digits that a range read gives.
func setMask(column ColumnType, value any) (uint64, error) {
	mask, err := integerValue(ColumnType{Kind: KindBigInt, Unsigned: true}, value)
	if err != nil {
		return 0, err
	}
	if bits.Len64(mask.(uint64)) > len(column.Labels) {
		return 0, fmt.Errorf("there is no label for the highest bit of %d", mask)
	}
	return mask.(uint64), nil
}

func setText(column ColumnType, mask uint64) string {
	var labels []string
	for i, label := range column.Labels {
		if mask&(1<<i) != 0 {
			labels = append(labels, label)
		}
	}
	return strings.Join(labels, ",")
}
