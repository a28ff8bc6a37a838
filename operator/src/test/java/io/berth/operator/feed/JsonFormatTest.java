package io.berth.operator.feed;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.berth.operator.feed.ObjectFormat.Event;
import io.berth.operator.feed.ObjectFormat.Gone;
import io.berth.operator.feed.ObjectFormat.Put;
import io.fabric8.kubernetes.api.model.Namespace;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Watch events, as the API server writes them and in other forms of the same JSON. */
class JsonFormatTest {
  private static final String OBJECT =
      "{\"apiVersion\":\"v1\",\"kind\":\"Namespace\",\"metadata\":{\"name\":\"a\",\"uid\":\"u\"}}";
  private static final Namespace NAMESPACE =
      new NamespaceBuilder().withNewMetadata().withName("a").withUid("u").endMetadata().build();

  private final JsonFormat<Namespace> format = new JsonFormat<>(Namespace.class);

  private Event<Namespace> event(String line) throws IOException {
    return format.event(line.getBytes(StandardCharsets.UTF_8));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"type\":\"%s\",\"object\":%s}",
        "{\"object\":%2$s,\"type\":\"%1$s\"}",
        "{\"type\":\"%s\",\"object\":%s,\"extra\":{}}",
        " { \"type\" : \"%s\", \"object\": %s } "
      })
  void event_isReadInEveryForm(String form) throws IOException {
    assertThat(event(form.formatted("ADDED", OBJECT))).isEqualTo(new Put<>(NAMESPACE));
    assertThat(event(form.formatted("MODIFIED", OBJECT))).isEqualTo(new Put<>(NAMESPACE));
    assertThat(event(form.formatted("DELETED", OBJECT))).isEqualTo(new Gone<>(NAMESPACE));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"type\":\"ADDED\",\"object\":}",
        "{\"type\":\"ADDED\",\"object\":{\"metadata\":{\"name\":}}",
        "{\"type\":\"ADDED\",\"object\":{\"metadata\":{\"name\":\"a\"}",
        "{\"object\":{\"metadata\":{\"name\":}},\"type\":\"ADDED\"}",
        "{\"type\":\"ADDED\"}",
        "{\"type\":\"RENAMED\",\"object\":{}}",
        "[]",
      })
  void whatIsNoWatchEvent_endsTheWatch(String line) {
    assertThatThrownBy(() -> event(line)).isInstanceOf(IOException.class);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"type\":\"ADDED\",\"object\":null}",
        "{\"type\":\"ADDED\",\"object\":{}}",
        "{\"type\":\"ADDED\",\"object\":{\"metadata\":{\"labels\":[]}}}",
        "{\"object\":{\"metadata\":{\"labels\":[]}},\"type\":\"ADDED\"}",
      })
  void anObjectOfAnotherShape_isUnreadableAlone(String line) {
    assertThatThrownBy(() -> event(line)).isInstanceOf(RuntimeException.class);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"metadata\":null,\"items\":[]}",
        "{\"metadata\":[],\"items\":[]}",
        "{\"items\":[]}"
      })
  void aListWithoutItsMetadata_isNoList(String json) {
    assertThatThrownBy(() -> format.page(json.getBytes(StandardCharsets.UTF_8)))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("not a list");
  }

  @Test
  void anObjectOfAnotherShape_isNamed_whereItsMetadataCanBeRead() throws IOException {
    String broken =
        "{\"metadata\":{\"name\":\"a\",\"uid\":\"u\",\"resourceVersion\":\"7\",\"labels\":[]}}";

    assertThat(event("{\"type\":\"ADDED\",\"object\":" + broken + "}"))
        .isInstanceOfSatisfying(
            ObjectFormat.Unreadable.class,
            unreadable -> {
              assertThat(((Namespace) unreadable.stub()).getMetadata().getName()).isEqualTo("a");
              assertThat(unreadable.why()).contains("labels");
            });
    assertThat(event("{\"type\":\"DELETED\",\"object\":" + broken + "}")).isInstanceOf(Gone.class);

    ObjectFormat.Page<Namespace> page =
        format.page(
            ("{\"metadata\":{\"resourceVersion\":\"9\"},\"items\":["
                    + OBJECT
                    + ","
                    + broken
                    + ",{\"metadata\":5}]}")
                .getBytes(StandardCharsets.UTF_8));
    assertThat(page.items()).containsExactly(NAMESPACE);
    assertThat(page.unreadable())
        .singleElement()
        .satisfies(each -> assertThat(each.stub().getMetadata().getUid()).isEqualTo("u"));
    assertThat(page.unnamed()).hasSize(1);
  }
}
