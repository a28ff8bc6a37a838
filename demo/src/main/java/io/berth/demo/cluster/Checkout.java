package io.berth.demo.cluster;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * The source tree this runs in: where the manifests and samples are that users apply.
 *
 * @param root the folder that holds {@code deploy/} and {@code samples/}
 */
public record Checkout(Path root) {

  /**
   * Finds it from the working directory upwards.
   *
   * @throws IllegalStateException when the working directory is in no checkout
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
            + " is in no checkout of Berth: there is no deploy/manifests here or above; change"
            + " into the checkout and start again");
  }

  /** The manifest files under {@code deploy/manifests}, in the order they are applied. */
  public List<Path> manifests() {
    return yamlFiles(root.resolve("deploy/manifests"));
  }

  /** The files of one sample, by the name of its folder. */
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
