package io.berth.operator.feed;

import java.io.IOException;
import java.util.List;

/**
 * The encoding of list pages and watch events of one resource. Each object is decoded separately,
 * so that a malformed one does not affect the others.
 */
interface ObjectFormat<T> {
  String NO_METADATA = "the object has no metadata";
  String NO_VERSION = "the response is not a list: it has no metadata.resourceVersion";
  String UNKNOWN_EVENT = "the watch sent an event of unknown type '%s'";

  /**
   * A page of a list.
   *
   * @param unreadable the objects of which only the metadata could be decoded
   * @param unnamed the reasons for objects of which not even the name could be decoded
   */
  record Page<T>(
      String resourceVersion,
      String continuation,
      List<T> items,
      List<Unreadable<T>> unreadable,
      List<String> unnamed) {}

  /** An event of a watch. */
  sealed interface Event<T> {}

  /** The object was added or has changed. */
  record Put<T>(T object) implements Event<T> {}

  /** The object was deleted or is no longer selected. */
  record Gone<T>(T object) implements Event<T> {}

  /**
   * The object was added or has changed, and cannot be decoded.
   *
   * @param stub an object with its name, namespace, UID, and version alone
   */
  record Unreadable<T>(T stub, String why) implements Event<T> {}

  /** No further changes exist up to this version. */
  record Bookmark<T>(String resourceVersion) implements Event<T> {}

  /** The watch ends with this failure. */
  record Failed<T>(int code, String message) implements Event<T> {}

  /**
   * Decodes the body of a list response.
   *
   * @throws IOException when this is not a list
   */
  Page<T> page(byte[] body) throws IOException;

  /**
   * Decodes a frame of a watch response.
   *
   * @throws IOException when this is not a watch event
   * @throws RuntimeException when its object cannot be decoded
   */
  Event<T> event(byte[] frame) throws IOException;

  /**
   * Returns the message of a Status, the body of an error response; empty if it has none.
   *
   * @throws IOException when this is not a Status
   */
  String message(byte[] status) throws IOException;

  /** Returns what splits a watch response into frames. */
  WatchFrames frames();
}
