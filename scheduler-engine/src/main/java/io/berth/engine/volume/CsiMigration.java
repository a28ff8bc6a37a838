package io.berth.engine.volume;

import io.berth.engine.model.NodeTerm;
import io.berth.engine.model.Requirement;
import io.berth.rules.label.LabelOperator;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The in-tree volume plugins that were migrated to CSI: the volume handles of their drivers, and
 * the nodes that reach a volume (as in Kubernetes' csi-translation-lib).
 */
public final class CsiMigration {
  private static final String AWS = "kubernetes.io/aws-ebs";
  private static final String GCE = "kubernetes.io/gce-pd";
  private static final String AWS_URL = "aws://";

  /**
   * The CSI driver for the volumes of an in-tree plugin.
   *
   * @param zoneLabel the driver's own label for a node's zone; null if it has none
   */
  private record Successor(String driver, @Nullable String zoneLabel) {}

  private static final Map<String, Successor> SUCCESSORS =
      Map.of(
          AWS,
          new Successor("ebs.csi.aws.com", "topology.ebs.csi.aws.com/zone"),
          GCE,
          new Successor("pd.csi.storage.gke.io", "topology.gke.io/zone"),
          "kubernetes.io/azure-disk",
          new Successor("disk.csi.azure.com", null),
          "kubernetes.io/cinder",
          new Successor("cinder.csi.openstack.org", "topology.cinder.csi.openstack.org/zone"),
          "kubernetes.io/portworx-volume",
          new Successor("pxd.portworx.com", null));

  private static final String ZONE = "topology.kubernetes.io/zone";
  private static final String REGION = "topology.kubernetes.io/region";
  private static final String BETA_ZONE = "failure-domain.beta.kubernetes.io/zone";
  private static final String BETA_REGION = "failure-domain.beta.kubernetes.io/region";

  private CsiMigration() {}

  /**
   * Returns the CSI driver for the plugin's volumes; empty if the name is not that of such a
   * plugin.
   */
  public static Optional<String> driverOf(String plugin) {
    return Optional.ofNullable(SUCCESSORS.get(plugin)).map(Successor::driver);
  }

  /**
   * Returns the CSI driver's handle of a volume; empty if it is unknown.
   *
   * @param plugin an in-tree plugin; for other names, the id is returned unchanged
   * @param id the plugin's id of the volume
   * @param labels the labels of the PersistentVolume; none for a volume that a pod references
   *     directly
   */
  public static String handle(String plugin, String id, Map<String, String> labels) {
    return switch (plugin) {
      case AWS -> id.startsWith(AWS_URL) ? awsVolume(id) : id;
      case GCE -> id.isEmpty() ? "" : gceDisk(id, labels);
      default -> id;
    };
  }

  /** Converts {@code aws://zone/vol-1} to {@code vol-1}. */
  private static String awsVolume(String url) {
    int path = url.indexOf('/', AWS_URL.length());
    if (path < 0) {
      return "";
    }
    int start = path;
    int end = url.length();
    while (start < end && url.charAt(start) == '/') {
      start++;
    }
    while (end > start && url.charAt(end - 1) == '/') {
      end--;
    }
    String volume = url.substring(start, end);
    return volume.startsWith("vol-") && volume.indexOf('/') < 0 ? volume : "";
  }

  private static String gceDisk(String disk, Map<String, String> labels) {
    String label = labels.getOrDefault(BETA_ZONE, "");
    if (label.isEmpty()) {
      label = labels.getOrDefault(ZONE, "");
    }
    List<String> zones = zones(label);
    if (zones.size() == 1) {
      String zone = zones.getFirst().isEmpty() ? "UNSPECIFIED" : zones.getFirst();
      return "projects/UNSPECIFIED/zones/" + zone + "/disks/" + disk;
    }
    Set<String> regions = new HashSet<>();
    for (String zone : zones) {
      String[] parts = zone.split("-", -1);
      regions.add(parts.length == 3 ? parts[0] + "-" + parts[1] : "");
    }
    String region = regions.size() == 1 ? regions.iterator().next() : "";
    return region.isEmpty() ? "" : "projects/UNSPECIFIED/regions/" + region + "/disks/" + disk;
  }

  private static List<String> zones(String label) {
    return Arrays.asList(label.split("__", -1));
  }

  /**
   * Returns the terms of which a node must satisfy at least one to reach a volume through CSI: the
   * volume's own terms, with the driver's label instead of the zone label; if they do not contain a
   * zone, it is taken from the volume's own label.
   *
   * @param terms the terms of the volume; absent if every node reaches it
   */
  public static Optional<List<NodeTerm>> nodeTerms(
      String plugin, Map<String, String> labels, Optional<List<NodeTerm>> terms) {
    Successor successor = SUCCESSORS.get(plugin);
    if (successor == null || successor.zoneLabel() == null) {
      return terms;
    }
    List<NodeTerm> before = terms.orElse(List.of());
    boolean beta =
        !names(before, ZONE)
            && (names(before, BETA_ZONE)
                || (!labels.containsKey(ZONE) && labels.containsKey(BETA_ZONE)));
    String zoneLabel = beta ? BETA_ZONE : ZONE;
    List<NodeTerm> after = before;
    boolean changed = false;
    if (hasValues(before, zoneLabel)) {
      after = renamed(after, zoneLabel, successor.zoneLabel());
      changed = true;
    } else if (labels.containsKey(zoneLabel)) {
      List<String> zones =
          zones(labels.get(zoneLabel)).stream().filter(zone -> !zone.isBlank()).toList();
      if (!zones.isEmpty()) {
        after = with(after, new Requirement(successor.zoneLabel(), LabelOperator.IN, zones));
        changed = true;
      }
    }
    if (beta && hasValues(before, BETA_REGION)) {
      after = renamed(after, BETA_REGION, REGION);
      changed = true;
    }
    return changed ? Optional.of(after) : terms;
  }

  private static boolean names(List<NodeTerm> terms, String key) {
    return terms.stream()
        .flatMap(term -> term.expressions().stream())
        .anyMatch(requirement -> requirement.key().equals(key));
  }

  private static boolean hasValues(List<NodeTerm> terms, String key) {
    return terms.stream()
        .flatMap(term -> term.expressions().stream())
        .anyMatch(requirement -> requirement.key().equals(key) && !requirement.values().isEmpty());
  }

  private static List<NodeTerm> renamed(List<NodeTerm> terms, String key, String newKey) {
    List<NodeTerm> result = new ArrayList<>();
    for (NodeTerm term : terms) {
      List<Requirement> expressions =
          term.expressions().stream()
              .map(
                  requirement ->
                      requirement.key().equals(key)
                          ? new Requirement(newKey, requirement.operator(), requirement.values())
                          : requirement)
              .toList();
      result.add(new NodeTerm(expressions, term.fields(), term.malformed()));
    }
    return result;
  }

  private static List<NodeTerm> with(List<NodeTerm> terms, Requirement requirement) {
    List<NodeTerm> result = new ArrayList<>();
    for (NodeTerm term :
        terms.isEmpty() ? List.of(new NodeTerm(List.of(), List.of(), false)) : terms) {
      List<Requirement> expressions = new ArrayList<>(term.expressions());
      expressions.add(requirement);
      result.add(new NodeTerm(expressions, term.fields(), term.malformed()));
    }
    return result;
  }
}
