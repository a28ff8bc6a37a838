package io.berth.operator.query;

import static io.berth.operator.query.QueryGround.in;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.berth.serving.http.HttpAnswer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Watches of decisions and pools, with a clock that the test sets. */
class WatchTest {
  private static final String OWN = in("team-a", "decisions");
  private static final String POOLS = QueryApi.ROOT + "/pools";
  private static final String TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io";
  private static final long FIRST = WatchGround.BEGAN.toEpochMilli() << 20;

  private final WatchGround ground = new WatchGround(4, 3, 2);

  @AfterEach
  void stop() {
    ground.close();
  }

  private void pass(long seconds) {
    ground.now = ground.now.plusSeconds(seconds);
  }

  private static List<String> brief(List<JsonNode> events) {
    return events.stream()
        .map(
            event ->
                "%s %s %d"
                    .formatted(
                        event.path("type").asText(),
                        event.at("/object/metadata/name").asText(),
                        event.at("/object/metadata/resourceVersion").asLong() - FIRST))
        .toList();
  }

  private static String message(HttpAnswer answer) {
    return new String(answer.body(), StandardCharsets.UTF_8);
  }

  @Test
  void list_hasAVersion_fromWhichAWatchGoesOn() throws Exception {
    ground.place("team-a", "web");
    ground.place("team-b", "secret");
    JsonNode list = ground.list("tenant", OWN, "");
    assertThat(list.at("/metadata/resourceVersion").asLong()).isEqualTo(FIRST + 2);
    assertThat(list.at("/items/0/metadata/resourceVersion").asLong()).isEqualTo(FIRST + 1);

    List<JsonNode> events =
        ground.watch(
            "tenant",
            OWN,
            "resourceVersion=" + (FIRST + 2),
            () -> ground.bind("team-a", "web"),
            () -> {
              ground.place("team-b", "other");
              ground.hold("team-a", "api", "uid-1");
            },
            () -> ground.hold("team-a", "api", "uid-2"));

    assertThat(brief(events))
        .containsExactly("MODIFIED web 3", "ADDED api 5", "DELETED api 6", "ADDED api 7");
    assertThat(events.toString()).doesNotContain("secret", "other");
    assertThat(events.getFirst().at("/object/status/outcome").asText()).isEqualTo("bound");
    assertThat(ground.watches.inProgress()).isZero();
  }

  @ParameterizedTest
  @CsvSource({"''", "resourceVersion=0", "resourceVersion="})
  void watchWithoutAVersion_beginsWithTheObjects(String version) throws Exception {
    ground.place("team-a", "b");
    ground.place("team-a", "a");

    assertThat(brief(ground.watch("tenant", OWN, version, () -> ground.place("team-a", "c"))))
        .containsExactly("ADDED a 2", "ADDED b 1", "ADDED c 3");
  }

  @Test
  void initialEvents_endWithABookmark_andCanBeLeftOut() throws Exception {
    ground.place("team-a", "a");
    String initial = "sendInitialEvents=true&resourceVersionMatch=NotOlderThan";

    List<JsonNode> events =
        ground.watch("tenant", OWN, initial + "&allowWatchBookmarks=1", () -> pass(1));
    assertThat(brief(events)).containsExactly("ADDED a 1", "BOOKMARK  1", "BOOKMARK  1");
    assertThat(events.get(1).at("/object/metadata/annotations/k8s.io~1initial-events-end").asText())
        .isEqualTo("true");
    assertThat(events.get(2).at("/object/metadata/annotations").isMissingNode()).isTrue();
    assertThat(brief(ground.watch("tenant", OWN, initial)))
        .as("without bookmarks")
        .containsExactly("ADDED a 1");
    assertThat(
            brief(
                ground.watch(
                    "tenant",
                    OWN,
                    "sendInitialEvents=false&resourceVersionMatch=NotOlderThan",
                    () -> ground.place("team-a", "b"))))
        .containsExactly("ADDED b 2");
  }

  @Test
  void invalidOptions_areRefused() {
    for (Map.Entry<String, Integer> each :
        Map.of(
                "sendInitialEvents=true", 422,
                "resourceVersionMatch=NotOlderThan", 422,
                "resourceVersion=x", 400,
                "resourceVersion=-1", 400,
                "labelSelector=app%3Dweb", 400,
                "fieldSelector=status.attempts%3D1", 400)
            .entrySet()) {
      assertThat(ground.get("admin", OWN, "watch=1&" + each.getKey()).status())
          .as(each.getKey())
          .isEqualTo(each.getValue());
    }
    assertThat(message(ground.get("admin", OWN, "fieldSelector=spec.x%3D1")))
        .contains("metadata.name, metadata.namespace, status.result, status.node");
    assertThat(ground.get("admin", OWN + "/web", "watch=1").status()).isEqualTo(400);
    assertThat(ground.get("admin", OWN, "continue=x").status()).isEqualTo(400);
  }

  @Test
  void versionThatIsNotKnown_isExpired() throws Exception {
    ground.place("team-a", "a");
    for (long version : new long[] {1, FIRST - 1, FIRST + 2}) {
      HttpAnswer answer = ground.get("admin", OWN, "watch=1&resourceVersion=" + version);
      assertThat(answer.status()).as("version %d", version).isEqualTo(410);
      assertThat(message(answer)).contains("\"reason\":\"Expired\"");
      assertThat(ground.get("admin", OWN, "continue=" + version + "%2Fteam-a%2Fa").status())
          .isEqualTo(410);
    }
    assertThat(ground.watches.inProgress()).isZero();
    assertThat(ground.get("admin", OWN, "continue=" + FIRST + "%2Fteam-a%2Fa").status())
        .isEqualTo(200);
  }

  @Test
  void nextLeader_endsTheWatch() throws Exception {
    ground.place("team-a", "a");
    List<JsonNode> events =
        ground.watch("tenant", OWN, "", () -> ground.log.clear(), () -> pass(1));

    assertThat(events).hasSize(2);
    assertThat(events.getLast().path("type").asText()).isEqualTo("ERROR");
    assertThat(events.getLast().at("/object/code").asInt()).isEqualTo(410);
    assertThat(events.getLast().at("/object/reason").asText()).isEqualTo("Expired");
  }

  @Test
  void watch_survivesAMomentWithoutLeader_andEndsAfterHalfAMinute() throws Exception {
    assertThat(
            brief(
                ground.watch(
                    "tenant",
                    OWN,
                    "",
                    () -> ground.leading = false,
                    () -> pass(30),
                    () -> {
                      ground.leading = true;
                      ground.place("team-a", "a");
                    })))
        .containsExactly("ADDED a 1");

    List<JsonNode> events =
        ground.watch(
            "tenant",
            OWN,
            "resourceVersion=" + (FIRST + 1),
            () -> ground.leading = false,
            () -> pass(31));
    assertThat(events).hasSize(1);
    assertThat(events.getFirst().at("/object/code").asInt()).isEqualTo(503);
    HttpAnswer none = ground.get("tenant", OWN, "watch=1");
    assertThat(none.status()).isEqualTo(503);
    assertThat(none.headers()).containsKey("Retry-After");
    assertThat(ground.watches.inProgress()).isZero();
  }

  @Test
  void bookmarks_comeEveryMinute_andAtTheEnd_ifTheClientWantsThem() throws Exception {
    assertThat(
            brief(
                ground.watch(
                    "tenant",
                    OWN,
                    "allowWatchBookmarks=true&resourceVersion=" + FIRST,
                    () -> ground.place("team-b", "x"),
                    () -> pass(59),
                    () -> pass(1),
                    () -> pass(59))))
        .containsExactly("BOOKMARK  1", "BOOKMARK  1");
    assertThat(ground.watch("tenant", OWN, "resourceVersion=" + FIRST, () -> pass(60))).isEmpty();
  }

  @Test
  void rights_areCheckedAgain() throws Exception {
    List<JsonNode> events =
        ground.watch(
            "tenant",
            OWN,
            "",
            () -> ground.denied.add("tenant"),
            () -> pass(29),
            () -> ground.place("team-a", "before"),
            () -> pass(1),
            () -> ground.place("team-a", "after"));

    assertThat(events).hasSize(2);
    assertThat(brief(events).getFirst()).isEqualTo("ADDED before 1");
    assertThat(events.getLast().at("/object/code").asInt()).isEqualTo(403);
  }

  @Test
  void usersWithoutTheRight_cannotWatch() {
    assertThat(ground.get("tenant", in("team-b", "decisions"), "watch=1").status()).isEqualTo(403);
    assertThat(ground.get("tenant", QueryApi.ROOT + "/decisions", "watch=1").status())
        .isEqualTo(403);
    assertThat(ground.get("tenant", POOLS, "watch=1").status()).isEqualTo(403);
  }

  @Test
  void fields_selectInListsAndWatches() throws Exception {
    ground.hold("team-a", "api", "uid-api");
    ground.place("team-a", "web");
    for (String fields :
        List.of(
            "metadata.name%3Dweb",
            "status.result%3D%3DPlaced",
            "status.result!%3DUnschedulable",
            "status.node%3Dn1,metadata.namespace%3Dteam-a",
            "status.policy.name%3Dusual,status.group%3D,metadata.name!%3Dapi")) {
      assertThat(
              ground
                  .list("tenant", OWN, "fieldSelector=" + fields)
                  .path("items")
                  .findValuesAsText("name"))
          .as(fields)
          .contains("web")
          .doesNotContain("api");
    }

    assertThat(
            brief(
                ground.watch(
                    "tenant",
                    OWN,
                    "fieldSelector=status.result%3DUnschedulable&resourceVersion=" + (FIRST + 2),
                    () -> ground.hold("team-a", "other", "uid-other"),
                    () -> ground.place("team-a", "api"),
                    () -> ground.bind("team-a", "api"))))
        .containsExactly("ADDED other 3", "DELETED api 4");
  }

  @Test
  void decisionThatIsForgotten_isDeleted() throws Exception {
    for (String pod : List.of("a", "b", "c", "d")) {
      ground.place("team-a", pod);
    }
    assertThat(
            brief(
                ground.watch(
                    "tenant",
                    OWN,
                    "resourceVersion=" + (FIRST + 4),
                    () -> ground.place("team-a", "e"))))
        .containsExactlyInAnyOrder("ADDED e 5", "DELETED a 6");
  }

  @Test
  void tables_defineTheirColumnsOnce() throws Exception {
    ground.place("team-a", "a");
    List<JsonNode> events =
        ground.events(
            ground.get("tenant", OWN, "watch=1&allowWatchBookmarks=1", TABLE),
            () -> ground.bind("team-a", "a"));

    assertThat(events).hasSize(3);
    JsonNode first = events.getFirst().path("object");
    assertThat(first.path("kind").asText()).isEqualTo("Table");
    assertThat(first.path("columnDefinitions")).hasSize(7);
    assertThat(first.at("/rows/0/cells/0").asText()).isEqualTo("a");
    assertThat(first.at("/rows/0/object/kind").asText()).isEqualTo("PartialObjectMetadata");
    assertThat(first.at("/rows/0/object/metadata/resourceVersion").asLong()).isEqualTo(FIRST + 1);
    assertThat(events.get(1).at("/object/columnDefinitions").isNull()).isTrue();
    assertThat(events.get(2).path("type").asText()).isEqualTo("BOOKMARK");
    assertThat(events.get(2).at("/object/metadata/resourceVersion").asLong()).isEqualTo(FIRST + 2);
    assertThat(events.get(2).at("/object/rows/0/cells")).hasSize(7);

    assertThat(included("None").isNull()).isTrue();
    assertThat(included("Object").path("kind").asText()).isEqualTo("Decision");
    assertThat(ground.get("tenant", OWN, "watch=1&includeObject=All", TABLE).status())
        .isEqualTo(400);
  }

  private JsonNode included(String part) throws Exception {
    return ground
        .events(ground.get("tenant", OWN, "watch=1&includeObject=" + part, TABLE))
        .getFirst()
        .at("/object/rows/0/object");
  }

  @Test
  void pools_areComparedWithWhatTheyWere() throws Exception {
    ground.pool("a", 1);
    ground.pool("b", 2);
    JsonNode list = ground.list("admin", POOLS, "");
    assertThat(list.at("/metadata/resourceVersion").asLong()).isEqualTo(FIRST + 2);

    assertThat(
            brief(
                ground.watch(
                    "admin",
                    POOLS,
                    "resourceVersion=" + (FIRST + 2),
                    () -> ground.pool("a", 1),
                    () -> ground.pool("b", 3),
                    () -> ground.pools.removeFirst(),
                    () -> ground.pool("c", 1))))
        .containsExactly("MODIFIED b 3", "DELETED a 4", "ADDED c 5");
    assertThat(
            brief(ground.watch("admin", POOLS, "fieldSelector=metadata.name%3Db", () -> pass(1))))
        .containsExactly("ADDED b 3");
    ground.leading = false;
    assertThat(ground.list("admin", POOLS, "").path("items")).as("without a leader").hasSize(2);
    assertThat(ground.get("admin", POOLS, "watch=1").status()).isEqualTo(503);
  }
}
