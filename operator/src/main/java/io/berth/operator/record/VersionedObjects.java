package io.berth.operator.record;

import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * Objects whose changes are numbered by versions.
 *
 * @param <T> an object as it was after a change
 */
public interface VersionedObjects<T> {

  /**
   * Some of the objects, in the order of their keys.
   *
   * @param version the latest version
   * @param remaining how many come after them
   */
  record Listed<T>(long version, List<T> objects, int remaining) {
    public Listed {
      objects = List.copyOf(objects);
    }
  }

  /**
   * Returns the wanted objects whose keys come after another one.
   *
   * @param after empty for the first page
   */
  Listed<T> list(Predicate<T> wanted, String after, int limit);

  /** Returns changes of the wanted objects; empty if some after the version are not known. */
  Optional<ChangeLog.Part<T>> since(long version, int limit, Predicate<T> wanted);

  /** Returns the key of an object. */
  String key(T object);

  /** Returns the version of the change that led to an object. */
  long version(T object);

  /** Returns an object as JSON. */
  String json(T object);
}
