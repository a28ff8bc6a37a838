package io.berth.sandbox.rest;

import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * The options of a create, update or patch.
 *
 * @param fieldManager empty to take the caller's agent
 * @param dryRun whether everything happens but the storing
 * @param fieldValidation what becomes of unknown and duplicate fields
 * @param force whether an apply takes over fields that others own
 * @param duplicates the fields that the request gives more than once
 * @param warnings takes texts for the answer's Warning headers
 */
public record WriteOptions(
    String fieldManager,
    boolean dryRun,
    FieldValidation fieldValidation,
    boolean force,
    Supplier<List<String>> duplicates,
    Consumer<String> warnings) {

  /** The treatment of fields that the schema does not contain. */
  public enum FieldValidation {
    IGNORE,
    WARN,
    STRICT
  }

  /** For a component in this process. */
  public static WriteOptions plain() {
    return new WriteOptions("", false, FieldValidation.IGNORE, false, List::of, warning -> {});
  }
}
