package io.berth.sandbox.table;

/**
 * A column of a table.
 *
 * @param name the heading
 * @param type the OpenAPI type
 * @param format the OpenAPI format, for example {@code name}
 * @param description the description
 * @param priority 0 if the column is always shown; higher if only with {@code -o wide}
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
