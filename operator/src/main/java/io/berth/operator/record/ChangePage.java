package io.berth.operator.record;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.berth.operator.http.ChangesRequest;
import io.berth.operator.record.VersionedObjects.Listed;
import io.berth.serving.http.HttpAnswer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Predicate;

/**
 * A page of changes as of {@link io.berth.operator.http.Explainer#changes}, which ends when it has
 * become large.
 *
 * @param <T> an object as it was after a change
 */
public final class ChangePage<T> {
  static final int MOST_CHANGES = 200;
  static final int LARGE_BYTES = 256 << 10;

  private final VersionedObjects<T> objects;
  private final Predicate<T> wanted;
  private final StringBuilder lines = new StringBuilder();

  private ChangePage(VersionedObjects<T> objects, Predicate<T> wanted) {
    this.objects = objects;
    this.wanted = wanted;
  }

  /** Returns the page that comes after a position. */
  public static <T> HttpAnswer of(
      VersionedObjects<T> objects, Predicate<T> wanted, String position) {
    ChangePage<T> page = new ChangePage<>(objects, wanted);
    if (position.equals(ChangesRequest.LATEST)) {
      long version = objects.list(object -> false, "", 1).version();
      return page.answer(String.valueOf(version), false, false);
    }
    String[] parts = position.split("/", 2);
    OptionalLong version = number(parts[0]);
    if (version.isEmpty() && !position.isEmpty()) {
      return HttpAnswer.text(
          400,
          "resourceVersion \"%s\" is not valid; give that of a list or an event"
              .formatted(position));
    }
    return position.isEmpty() || parts.length > 1
        ? page.initial(version, parts.length > 1 ? parts[1] : "")
        : page.changes(version.orElseThrow());
  }

  static OptionalLong number(String text) {
    try {
      return OptionalLong.of(Long.parseLong(text));
    } catch (NumberFormatException notANumber) {
      return OptionalLong.empty();
    }
  }

  private boolean isLarge() {
    return lines.length() >= LARGE_BYTES;
  }

  /**
   * Returns objects that exist. All pages keep the version of the first, and no event has a later
   * one, so that a client that goes on from any of them misses no change.
   */
  private HttpAnswer initial(OptionalLong first, String after) {
    Listed<T> listed = objects.list(wanted, after, MOST_CHANGES);
    long version = first.orElse(listed.version());
    if (objects.since(version, 1, object -> false).isEmpty()) {
      return expired(version);
    }
    String last = after;
    int written = 0;
    for (T object : listed.objects()) {
      if (isLarge()) {
        break;
      }
      line("ADDED", Math.min(version, objects.version(object)), object);
      last = objects.key(object);
      written++;
    }
    boolean more = listed.remaining() > 0 || written < listed.objects().size();
    return answer(more ? version + "/" + last : String.valueOf(version), true, more);
  }

  private HttpAnswer changes(long after) {
    Optional<ChangeLog.Part<T>> part = objects.since(after, MOST_CHANGES, wanted);
    if (part.isEmpty()) {
      return expired(after);
    }
    List<ChangeLog.Change<T>> changes = part.get().changes();
    long reached = part.get().version();
    boolean more = part.get().more();
    for (int i = 0; i < changes.size(); i++) {
      if (isLarge()) {
        reached = changes.get(i - 1).version();
        more = true;
        break;
      }
      line(changes.get(i).type(), changes.get(i).version(), changes.get(i).object());
    }
    return answer(String.valueOf(reached), false, more);
  }

  private void line(String type, long version, T object) {
    lines
        .append("{\"type\":\"")
        .append(type)
        .append("\",\"version\":\"")
        .append(version)
        .append("\",\"object\":")
        .append(objects.json(object))
        .append("}\n");
  }

  private HttpAnswer answer(String position, boolean initial, boolean more) {
    String head =
        JsonNodeFactory.instance
            .objectNode()
            .put("position", position)
            .put("initial", initial)
            .put("more", more)
            .toString();
    return new HttpAnswer(
        200, "application/json", (head + "\n" + lines).getBytes(StandardCharsets.UTF_8));
  }

  /** Returns that a version is not known any more, or is that of another leader. */
  static HttpAnswer expired(long version) {
    return HttpAnswer.text(
        410,
        "resourceVersion %d is too old, or of another leader; list the objects again"
            .formatted(version));
  }
}
