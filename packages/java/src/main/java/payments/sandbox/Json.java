package payments.sandbox;

import java.math.BigDecimal;
import java.util.*;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * A JSON value. All its numbers are exact.
 *
 * @param value a {@code Map}, {@code List}, {@code String}, {@code BigDecimal}, {@code Boolean} or null
 */
public record Json(Object value) {
  /** The field of an object; JSON null if there is none. */
  public Json get(String name) {
    return new Json(value instanceof Map<?, ?> fields ? fields.get(name) : null);
  }

  /** The text; null for JSON null, as in the other methods. */
  public String text() {
    return value == null ? null : value.toString();
  }

  /** The number, which can be written as text. */
  public BigDecimal decimal() {
    return value == null ? null : new BigDecimal(value.toString());
  }

  Integer integer() {
    return value == null ? null : decimal().intValueExact();
  }

  Boolean bool() {
    return (Boolean) value;
  }

  /** The constant of an enum; null for JSON null, and for a name that this version does not know. */
  <E extends Enum<E>> E oneOf(Class<E> type) {
    return Arrays.stream(type.getEnumConstants()).filter(one -> one.name().equals(value)).findFirst().orElse(null);
  }

  /** The texts of an object, by name. */
  Map<String, String> texts() {
    if (value == null) return null;
    Map<String, String> texts = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
    ((Map<?, ?>) value).forEach((name, text) -> texts.put(name.toString(), text.toString()));
    return texts;
  }

  <T> T map(Function<Json, T> read) {
    return value == null ? null : read.apply(this);
  }

  /** The items of a list. */
  public <T> List<T> list(Function<Json, T> read) {
    return value == null ? null : ((List<?>) value).stream().map(item -> read.apply(new Json(item))).toList();
  }

  static String write(Object value) {
    if (value instanceof Json json) return write(json.value);
    if (value instanceof Platform.Request request) return write(request.fields);
    if (value instanceof List<?> list) return list.stream().map(Json::write).collect(Collectors.joining(",", "[", "]"));
    if (value instanceof Map<?, ?> fields)
      return fields.entrySet().stream().map(row -> quote(row.getKey().toString()) + ":" + write(row.getValue()))
          .collect(Collectors.joining(",", "{", "}"));
    if (value instanceof BigDecimal decimal) return decimal.toPlainString();
    if (value instanceof Double || value instanceof Float)
      throw new IllegalArgumentException(value + " is a binary number, which is not exact; use a BigDecimal");
    return value == null || value instanceof Number || value instanceof Boolean ? "" + value : quote(value.toString());
  }

  private static String quote(String text) {
    StringBuilder out = new StringBuilder("\"");
    for (char c : text.toCharArray())
      out.append(c < ' ' ? String.format("\\u%04x", (int) c) : c == '"' || c == '\\' ? "\\" + c : "" + c);
    return out.append('"').toString();
  }

  /** Throws {@code IllegalArgumentException} if the text is not JSON. */
  static Json parse(String text) {
    Reader reader = new Reader(text);
    Object value = reader.value(0);
    if (reader.next() != 0) throw reader.unexpected();
    return new Json(value);
  }

  private static final class Reader {
    private final String text;
    private int at;

    Reader(String text) {
      this.text = text;
    }

    IllegalArgumentException unexpected() {
      return new IllegalArgumentException("the text is not JSON at character " + at);
    }

    /** The next character after white space; 0 at the end. */
    char next() {
      while (at < text.length() && " \t\r\n".indexOf(text.charAt(at)) >= 0) at++;
      return at < text.length() ? text.charAt(at) : 0;
    }

    private <T> T take(String expected, T meaning) {
      next();
      if (!text.startsWith(expected, at)) throw unexpected();
      at += expected.length();
      return meaning;
    }

    Object value(int depth) {
      if (depth > 200) throw unexpected();
      return switch (next()) {
        case '{', '[' -> group(depth + 1);
        case '"' -> string();
        case 't' -> take("true", true);
        case 'f' -> take("false", false);
        case 'n' -> take("null", null);
        default -> number();
      };
    }

    private Object group(int depth) {
      Map<String, Object> fields = new LinkedHashMap<>();
      List<Object> items = new ArrayList<>();
      String end = text.charAt(at++) == '{' ? "}" : "]";
      for (String comma = ""; next() != end.charAt(0); comma = ",") {
        take(comma, null);
        String name = end.equals("}") ? take(":", string()) : null;
        if (name == null) items.add(value(depth));
        else fields.put(name, value(depth));
      }
      return take(end, end.equals("]") ? items : fields);
    }

    private BigDecimal number() {
      int from = at;
      while (at < text.length() && "+-.0123456789eE".indexOf(text.charAt(at)) >= 0) at++;
      return new BigDecimal(text.substring(from, at));
    }

    private String string() {
      StringBuilder out = new StringBuilder();
      for (take("\"", null); at < text.length() && text.charAt(at) != '"'; at++)
        out.append(text.charAt(at) == '\\' ? escaped() : text.charAt(at));
      return take("\"", out.toString());
    }

    /** The character that an escape stands for; {@code at} then is at its end. */
    private char escaped() {
      int known = ++at < text.length() ? "\"\\/bfnrtu".indexOf(text.charAt(at)) : -1;
      if (known < 0 || known == 8 && at + 4 >= text.length()) throw unexpected();
      if (known < 8) return "\"\\/\b\f\n\r\t".charAt(known);
      at += 4;
      return (char) Integer.parseInt(text.substring(at - 3, at + 1), 16);
    }
  }
}
