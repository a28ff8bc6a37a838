package io.berth.sandbox.table;

/**
 * A column of a table.
 *
 * @param name its heading
 * @param type as OpenAPI names it
 * @param format for instance {@code name}
 * @param description what it shows
 * @param priority 0 is always shown, more with {@code -o wide}
 */
record Column(String name, String type, String format, String description, int priority) {

  static Column named() {
    return new Column(
        "Name", "string", "name", "The object's name, unique within its namespace", 0);
  }

  static Column age() {
    return text("Age");
  }

  static Column text(String name) {
    return new Column(name, "string", "", name, 0);
  }

  static Column number(String name) {
    return new Column(name, "integer", "", name, 0);
  }

  static Column wide(String name) {
    return new Column(name, "string", "", name, 1);
  }
}
