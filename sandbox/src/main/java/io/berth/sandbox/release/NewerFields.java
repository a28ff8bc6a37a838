package io.berth.sandbox.release;

import java.util.List;

/**
 * The fields of {@link ApiTypes} that API servers drop by default before a certain version, from
 * {@code fields-since.txt}.
 */
public final class NewerFields {
  private static final String RESOURCE = "fields-since.txt";
  private static final List<NewerField> ALL =
      Tables.lines(RESOURCE).stream().map(NewerFields::read).toList();

  private NewerFields() {}

  /**
   * A field and the first version in which it is kept by default.
   *
   * @param type name of the type
   * @param json name of the field in JSON
   * @param since first version that keeps the field
   */
  public record NewerField(String type, String json, KubernetesVersion since) {}

  /** Returns all such fields. */
  public static List<NewerField> all() {
    return ALL;
  }

  private static NewerField read(String line) {
    List<String> words = List.of(line.split(" ", -1));
    return new NewerField(
        words.get(0),
        words.get(1),
        KubernetesVersion.parse(words.get(2))
            .orElseThrow(
                () -> new IllegalStateException(RESOURCE + ": no version in \"" + line + "\"")));
  }
}
