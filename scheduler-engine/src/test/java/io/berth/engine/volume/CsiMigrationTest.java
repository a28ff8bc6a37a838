package io.berth.engine.volume;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.engine.model.NodeTerm;
import io.berth.engine.model.Requirement;
import io.berth.rules.label.LabelOperator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Volumes of plugins that were migrated to CSI: their handles, and the nodes that reach them. */
class CsiMigrationTest {
  private static final String AWS = "kubernetes.io/aws-ebs";
  private static final String GCE = "kubernetes.io/gce-pd";
  private static final String ZONE = "topology.kubernetes.io/zone";
  private static final String BETA_ZONE = "failure-domain.beta.kubernetes.io/zone";
  private static final String BETA_REGION = "failure-domain.beta.kubernetes.io/region";

  private static NodeTerm in(String key, String... values) {
    return new NodeTerm(
        List.of(new Requirement(key, LabelOperator.IN, List.of(values))), List.of(), false);
  }

  @Test
  void drivers_areKnownForWhatMoved() {
    assertThat(CsiMigration.driverOf(AWS)).contains("ebs.csi.aws.com");
    assertThat(CsiMigration.driverOf("csi.example.com")).isEmpty();
  }

  @Test
  void anAwsVolume_isKnownByTheEndOfItsUrl() {
    assertThat(CsiMigration.handle(AWS, "aws://us-east-1a/vol-1", Map.of())).isEqualTo("vol-1");
    assertThat(CsiMigration.handle(AWS, "vol-1", Map.of())).isEqualTo("vol-1");
    assertThat(CsiMigration.handle(AWS, "aws://us-east-1a/disk", Map.of())).isEmpty();
    assertThat(CsiMigration.handle(AWS, "aws://us-east-1a", Map.of())).isEmpty();
  }

  @Test
  void aGceDisk_isKnownByItsZone_orByTheRegionOfSeveral() {
    assertThat(CsiMigration.handle(GCE, "d", Map.of()))
        .isEqualTo("projects/UNSPECIFIED/zones/UNSPECIFIED/disks/d");
    assertThat(CsiMigration.handle(GCE, "d", Map.of(ZONE, "us-central1-a")))
        .isEqualTo("projects/UNSPECIFIED/zones/us-central1-a/disks/d");
    assertThat(CsiMigration.handle(GCE, "d", Map.of(ZONE, "us-central1-a__us-central1-b")))
        .isEqualTo("projects/UNSPECIFIED/regions/us-central1/disks/d");
    assertThat(CsiMigration.handle(GCE, "d", Map.of(ZONE, "a__b"))).isEmpty();
  }

  @Test
  void theDriversZoneLabel_takesThePlaceOfTheZones() {
    assertThat(CsiMigration.nodeTerms(GCE, Map.of(), Optional.of(List.of(in(ZONE, "a", "b")))))
        .contains(List.of(in("topology.gke.io/zone", "a", "b")));
  }

  @Test
  void theVolumesOwnLabel_saysTheZone_whereItsTermsDoNot() {
    assertThat(CsiMigration.nodeTerms(AWS, Map.of(BETA_ZONE, "a__b"), Optional.empty()))
        .contains(List.of(in("topology.ebs.csi.aws.com/zone", "a", "b")));
    assertThat(CsiMigration.nodeTerms(AWS, Map.of(), Optional.empty())).isEmpty();
  }

  @Test
  void theOldRegionLabel_isRenamed_withTheOldZoneLabel() {
    NodeTerm both =
        new NodeTerm(
            List.of(
                new Requirement(BETA_ZONE, LabelOperator.IN, List.of("a")),
                new Requirement(BETA_REGION, LabelOperator.IN, List.of("r"))),
            List.of(),
            false);

    assertThat(CsiMigration.nodeTerms(AWS, Map.of(), Optional.of(List.of(both))))
        .contains(
            List.of(
                new NodeTerm(
                    List.of(
                        new Requirement(
                            "topology.ebs.csi.aws.com/zone", LabelOperator.IN, List.of("a")),
                        new Requirement(
                            "topology.kubernetes.io/region", LabelOperator.IN, List.of("r"))),
                    List.of(),
                    false)));
  }

  @Test
  void aPluginWithoutAZoneLabel_keepsItsTerms() {
    Optional<List<NodeTerm>> terms = Optional.of(List.of(in(ZONE, "a")));

    assertThat(CsiMigration.nodeTerms("kubernetes.io/azure-disk", Map.of(), terms))
        .isEqualTo(terms);
  }
}
