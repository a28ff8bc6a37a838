package io.berth.operator.http;

import io.berth.serving.http.HttpAnswer;

/** The objects of a resource without namespaces, which the leader numbers for all replicas. */
public interface PublishedObjects {
  /** Returns all objects as JSON: {@code items}, and the {@code version} of the list. */
  HttpAnswer list();

  /** Returns the next changes. */
  HttpAnswer changes(ChangesRequest asked);
}
