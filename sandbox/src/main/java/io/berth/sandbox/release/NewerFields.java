package io.berth.sandbox.release;

import java.util.List;

/**
 * The fields of {@link ApiTypes} that servers do not keep by default before some version, from
 * {@code fields-since.txt}.
 */
public final class NewerFields {
  private static final String RESOURCE = "fields-since.txt";
  private static final List<NewerField> ALL =
      Tables.lines(RESOURCE).stream().map(NewerFields::read).toList();

  private NewerFields() {}

  /**
   * A field and the first version that keeps it.
   *
   * @param type the name of the type
   * @param json the name of the field in JSON
   */
  public record NewerField(String type, String json, KubernetesVersion since) {}

  /** Returns all of them. */
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
