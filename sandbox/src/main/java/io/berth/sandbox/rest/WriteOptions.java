package io.berth.sandbox.rest;

import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * The options of a create, update, or patch.
 *
 * @param fieldManager the field manager; empty to use the caller's agent
 * @param dryRun true to process the request without storing the result
 * @param fieldValidation the treatment of unknown and duplicate fields
 * @param force whether an apply takes over fields of other managers
 * @param duplicates supplies the fields that the request body contains more than once
 * @param warnings receives the texts of the response's Warning headers
 */
public record WriteOptions(
    String fieldManager,
    boolean dryRun,
    FieldValidation fieldValidation,
    boolean force,
    Supplier<List<String>> duplicates,
    Consumer<String> warnings) {

  /** The treatment of unknown and duplicate fields. */
  public enum FieldValidation {
    IGNORE,
    WARN,
    STRICT
  }

  /** Returns the options of a component in this process. */
  public static WriteOptions plain() {
    return new WriteOptions("", false, FieldValidation.IGNORE, false, List::of, warning -> {});
  }
}
