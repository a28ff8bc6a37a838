package io.berth.webhook.binding;

import static io.berth.webhook.Resources.binding;
import static io.berth.webhook.Resources.yaml;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class RolloutTest {
  /** The first four bytes of the SHA-256 hash, modulo 100, computed independently. */
  private static final Integer[] PLACES = {70, 28, 10};

  private static final String CREATED = "2026-01-01T00:00:00Z";

  @Test
  void aPercentageReachesAboutThatShareOfTheOwners() {
    for (int percent : List.of(0, 1, 10, 50, 90, 99, 100)) {
      assertThat(reached(percent, "team-a").size())
          .as("%s percent of 2000", percent)
          .isBetween(percent * 20 - 60, percent * 20 + 60);
    }
    assertThat(reached(0, "team-a")).isEmpty();
    assertThat(reached(100, "team-a")).hasSize(2000);
  }

  @Test
  void aGreaterPercentage_keepsTheOwnersItHad() {
    assertThat(reached(40, "team-a")).containsAll(reached(10, "team-a"));
  }

  @Test
  void anotherBindingChoosesOtherOwners() {
    assertThat(reached(50, "team-a")).isNotEqualTo(reached(50, "team-b"));
  }

  @Test
  void theNextReplicaSetOfADeployment_getsTheSameAnswer() {
    for (String deployment : List.of("web", "api", "worker", "cron-like", "x")) {
      assertThat(reaches(50, replicaSetPod(deployment, "5d4f8c7b9")))
          .isEqualTo(reaches(50, replicaSetPod(deployment, "77c6d9f4b")));
    }
  }

  @Test
  void theRootOfAPod_isItsDeploymentOrCronJobAndElseItsController() {
    ConfigCatalog catalog = new LiveCatalog("berth-system").get();

    assertThat(catalog.root(replicaSetPod("web", "5d4f8c7b9")))
        .isEqualTo(new Owner("Deployment", "web"));
    assertThat(catalog.root(owned("ReplicaSet", "web-5d4f8c7b9", "")))
        .isEqualTo(new Owner("ReplicaSet", "web-5d4f8c7b9"));
    assertThat(catalog.root(owned("Job", "nightly-29412345", "")))
        .isEqualTo(new Owner("CronJob", "nightly"));
    assertThat(catalog.root(owned("Job", "import-2026", "")))
        .isEqualTo(new Owner("Job", "import-2026"));
    assertThat(catalog.root(owned("StatefulSet", "db", "")))
        .isEqualTo(new Owner("StatefulSet", "db"));
  }

  @Test
  void aBarePod_isKnownByItsGenerateNameWhateverNameItIsGiven() {
    PodSubject before = PodSubject.of("team-a", yaml("metadata: {generateName: task-}"));
    PodSubject after =
        PodSubject.of("team-a", yaml("metadata: {generateName: task-, name: task-x7k2p}"));

    assertThat(new LiveCatalog("berth-system").get().root(before))
        .isEqualTo(new Owner("Pod", "task-"))
        .isEqualTo(new LiveCatalog("berth-system").get().root(after));
  }

  @Test
  void outsideARolloutABinding_doesNotCompete() {
    LiveCatalog catalog = new LiveCatalog("berth-system");
    catalog.put(
        binding("team-a", "none", CREATED, "rollout: {percent: 0}, schedulingPolicy: batch"));

    Resolution resolution = catalog.get().resolve(owned("StatefulSet", "db", ""));

    assertThat(resolution.choices()).isEmpty();
    assertThat(resolution.outsideRollout()).containsExactly(new BindingKey("team-a", "none"));
  }

  @Test
  void thePlaces_areFixedForEverSoThatVersionsOfBerthAgree() {
    assertThat(
            List.of("web", "api", "db").stream()
                .map(
                    name -> {
                      int percent = 1;
                      while (!RolloutShare.reaches(
                          percent, "uid-1", "team-a", new Owner("Deployment", name))) {
                        percent++;
                      }
                      return percent - 1;
                    }))
        .containsExactly(PLACES);
  }

  private static Set<String> reached(int percent, String uid) {
    Set<String> reached = new HashSet<>();
    for (int i = 0; i < 2000; i++) {
      if (RolloutShare.reaches(percent, uid, "team-a", new Owner("Deployment", "app-" + i))) {
        reached.add("app-" + i);
      }
    }
    return reached;
  }

  private static boolean reaches(int percent, PodSubject pod) {
    LiveCatalog catalog = new LiveCatalog("berth-system");
    catalog.put(
        binding(
            "team-a", "half", CREATED, "rollout: {percent: " + percent + "}, schedulingPolicy: p"));
    return !catalog.get().resolve(pod).choices().isEmpty();
  }

  private static PodSubject replicaSetPod(String deployment, String hash) {
    return owned("ReplicaSet", deployment + "-" + hash, "pod-template-hash: " + hash);
  }

  private static PodSubject owned(String kind, String name, String labels) {
    return PodSubject.of(
        "team-a",
        yaml(
            "metadata: {generateName: "
                + name
                + "-, labels: {"
                + labels
                + "}, ownerReferences: [{kind: "
                + kind
                + ", name: "
                + name
                + ", controller: true}]}"));
  }
}
