package io.berth.demo.audit;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.maven.artifact.versioning.ComparableVersion;
import org.jspecify.annotations.Nullable;

/**
 * A known vulnerability, in the <a href="https://ossf.github.io/osv-schema/">format of OSV</a>.
 *
 * @param affected the packages of Maven that it affects
 */
public record Advisory(String id, String summary, List<Affected> affected) {

  public Advisory {
    affected = List.copyOf(affected);
  }

  /**
   * A package with a vulnerability.
   *
   * @param name the group and the artifact, with a colon between them
   * @param versions single versions that are affected
   */
  public record Affected(String name, List<String> versions, List<Range> ranges) {
    public Affected {
      versions = List.copyOf(versions);
      ranges = List.copyOf(ranges);
    }

    boolean holds(Component component) {
      return name.equals(component.name())
          && (versions.contains(component.version())
              || ranges.stream().anyMatch(range -> range.holds(component.version())));
    }
  }

  /**
   * A range of versions.
   *
   * @param introduced the first version; 0 for all up to the end
   * @param end the version at which it ends; empty if there is none
   * @param endIsAffected whether the end is affected, too
   */
  public record Range(String introduced, Optional<String> end, boolean endIsAffected) {
    boolean holds(String version) {
      ComparableVersion at = new ComparableVersion(version);
      if (!introduced.equals("0") && at.compareTo(new ComparableVersion(introduced)) < 0) {
        return false;
      }
      int limit = endIsAffected ? 0 : -1;
      return end.isEmpty() || at.compareTo(new ComparableVersion(end.get())) <= limit;
    }
  }

  /** Returns whether a library has the vulnerability. */
  public boolean affects(Component component) {
    return affected.stream().anyMatch(some -> some.holds(component));
  }

  /** Reads an advisory; one that was withdrawn affects nothing. */
  static Advisory of(JsonNode json) {
    List<Affected> affected = new ArrayList<>();
    if (!json.has("withdrawn")) {
      for (JsonNode given : json.path("affected")) {
        if (given.path("package").path("ecosystem").asText().equals("Maven")) {
          affected.add(affected(given));
        }
      }
    }
    return new Advisory(json.path("id").asText(), json.path("summary").asText(), affected);
  }

  private static Affected affected(JsonNode json) {
    List<String> versions = new ArrayList<>();
    json.path("versions").forEach(version -> versions.add(version.asText()));
    List<Range> ranges = new ArrayList<>();
    for (JsonNode range : json.path("ranges")) {
      @Nullable String introduced = null;
      for (JsonNode event : range.path("events")) {
        if (event.has("introduced")) {
          introduced = event.path("introduced").asText();
        } else if (introduced != null && (event.has("fixed") || event.has("last_affected"))) {
          boolean last = event.has("last_affected");
          String end = event.path(last ? "last_affected" : "fixed").asText();
          ranges.add(new Range(introduced, Optional.of(end), last));
          introduced = null;
        }
      }
      if (introduced != null) {
        ranges.add(new Range(introduced, Optional.empty(), false));
      }
    }
    return new Affected(json.path("package").path("name").asText(), versions, ranges);
  }
}
