package io.berth.engine.volume;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.engine.journal.Journal;
import io.berth.engine.model.PodVolume;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The volumes that count towards a node's limits. */
class AttachedVolumesTest {
  private static final List<PodVolume> A_DISK =
      List.of(new PodVolume.Disk("awsElasticBlockStore", "aws://us-east-1a/vol-1", false));

  @Test
  void aDiskOfAPluginThatMoved_countsOnEveryNodeThatTellsItsDrivers() {
    CsiNode node = new CsiNode("n", Map.of("ebs.csi.aws.com", 1), Set.of());
    AttachedVolumes volumes =
        new AttachedVolumes(new StorageTable(new Journal()), Optional.of(node));

    volumes.addAll("team", A_DISK);

    assertThat(volumes.countOf("ebs.csi.aws.com")).isEqualTo(1);
  }

  @Test
  void onANodeThatTellsNone_itDoesNot() {
    AttachedVolumes volumes =
        new AttachedVolumes(new StorageTable(new Journal()), Optional.empty());

    volumes.addAll("team", A_DISK);

    assertThat(volumes.isEmpty()).isTrue();
  }
}
