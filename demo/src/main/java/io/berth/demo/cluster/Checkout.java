package io.berth.demo.cluster;

import io.berth.operator.Feature;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * The source checkout, with the manifests and samples that users apply.
 *
 * @param root the folder that contains {@code deploy/} and {@code samples/}
 */
public record Checkout(Path root) {

  /**
   * Finds the checkout from the working directory upwards.
   *
   * @throws IllegalStateException if the working directory is not in a checkout
   */
  public static Checkout find() {
    Path start = Path.of("").toAbsolutePath();
    for (Path folder = start; folder != null; folder = folder.getParent()) {
      if (Files.isDirectory(folder.resolve("deploy/manifests"))) {
        return new Checkout(folder);
      }
    }
    throw new IllegalStateException(
        start
            + " is not in a checkout of Berth: neither it nor a parent contains deploy/manifests;"
            + " change to the checkout and try again");
  }

  /**
   * Returns the manifest files in {@code deploy/manifests}, in the order in which they are applied.
   */
  public List<Path> manifests() {
    return yamlFiles(root.resolve("deploy/manifests"));
  }

  /** Returns the manifest with the rights of a feature. */
  public Path feature(Feature feature) {
    return root.resolve("deploy/features").resolve(feature.label() + ".yaml");
  }

  /** Returns the files of a sample, by the name of its folder. */
  public List<Path> sample(String name) {
    return yamlFiles(root.resolve("samples").resolve(name));
  }

  private static List<Path> yamlFiles(Path folder) {
    try (Stream<Path> files = Files.list(folder)) {
      return files.filter(file -> file.toString().endsWith(".yaml")).sorted().toList();
    } catch (IOException e) {
      throw new IllegalStateException(folder + " cannot be read: " + e.getMessage(), e);
    }
  }
}
