package io.berth.engine.model;

import java.util.List;

/** An image on a node, with all its names and its size in bytes. */
public record NodeImage(List<String> names, long sizeBytes) {
  public NodeImage {
    names = List.copyOf(names);
  }
}
