package io.berth.webhook.argument;

/** What an argument can be; in Java a String, a Long, a Boolean or a List of String. */
public enum ParameterType {
  STRING("string", "a string"),
  INTEGER("integer", "a whole number"),
  BOOLEAN("boolean", "true or false"),
  STRING_LIST("stringList", "a list of strings");

  private final String key;
  private final String words;

  ParameterType(String key, String words) {
    this.key = key;
    this.words = words;
  }

  /** As it is written in a config, such as {@code stringList}. */
  public String key() {
    return key;
  }

  /** As it is spoken of in a message, such as "a list of strings". */
  public String words() {
    return words;
  }
}
