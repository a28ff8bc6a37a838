package io.berth.demo.audit;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;

/** Known vulnerabilities, from files. */
public final class Advisories {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String FILES = ".json";

  private Advisories() {}

  /**
   * Reads advisories from a folder with a JSON file for each, at any depth, or from such a zip
   * file, as OSV publishes them.
   *
   * @throws IOException if a file cannot be read, or there is no advisory
   */
  public static List<Advisory> in(Path source) throws IOException {
    List<Advisory> advisories = Files.isDirectory(source) ? inFolder(source) : inZip(source);
    if (advisories.isEmpty()) {
      throw new IOException(
          source + " has no advisories: give a folder, or a zip file, with JSON files of OSV");
    }
    return advisories;
  }

  private static List<Advisory> inFolder(Path folder) throws IOException {
    List<Path> files;
    try (Stream<Path> all = Files.walk(folder)) {
      files = all.filter(file -> file.toString().endsWith(FILES)).sorted().toList();
    }
    List<Advisory> advisories = new ArrayList<>();
    for (Path file : files) {
      advisories.add(advisory(file.toString(), Files.readAllBytes(file)));
    }
    return advisories;
  }

  private static List<Advisory> inZip(Path file) throws IOException {
    List<Advisory> advisories = new ArrayList<>();
    try (InputStream in = Files.newInputStream(file);
        ZipInputStream zip = new ZipInputStream(in)) {
      for (ZipEntry entry = zip.getNextEntry(); entry != null; entry = zip.getNextEntry()) {
        if (entry.getName().endsWith(FILES)) {
          advisories.add(advisory(entry.getName(), zip.readAllBytes()));
        }
      }
    }
    return advisories;
  }

  private static Advisory advisory(String name, byte[] json) throws IOException {
    try {
      return Advisory.of(JSON.readTree(json));
    } catch (JsonProcessingException e) {
      throw new IOException(name + " is not JSON: " + e.getOriginalMessage(), e);
    }
  }
}
