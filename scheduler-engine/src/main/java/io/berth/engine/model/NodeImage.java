package io.berth.engine.model;

import java.util.List;

/** An image that a node holds, under all its names, with its size in bytes. */
public record NodeImage(List<String> names, long sizeBytes) {
  public NodeImage {
    names = List.copyOf(names);
  }
}
