package io.berth.engine.devices;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.engine.fixtures.Slices;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The CEL expressions that select devices, with the functions that Kubernetes adds. */
class SelectorsTest {
  private static final String DEVICE =
      "{'name':'d','allowMultipleAllocations':true,'attributes':{'model':{'string':'A100'},"
          + "'index':{'int':3},'healthy':{'bool':true},'driverVersion':{'version':'1.10.2-rc.1'},"
          + "'dra.net/numaNode':{'int':1}},'capacity':{'memory':{'value':'40Gi'}}}";

  private static String result(String expression) {
    String json = expression.replace("\"", "\\\"");
    return new DeviceObjects()
        .devices(DEVICE)
        .claim(
            "c",
            "'requests':[{'name':'r','exactly':{'deviceClassName':'gpu','selectors':[{'cel':{'expression':'"
                + json
                + "'}}]}}]")
        .plan();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "device.driver == \"gpu.example.com\"",
        "device.attributes[\"gpu.example.com\"].model.startsWith(\"A\")",
        "device.attributes[\"gpu.example.com\"].index < 3.5",
        "device.attributes[\"gpu.example.com\"].healthy",
        "!(\"nic.example.com\" in device.attributes)",
        "!has(device.attributes[\"nic.example.com\"].rdma)",
        "device.attributes[\"dra.net\"].numaNode == 1",
        "device.attributes[\"gpu.example.com\"].?missing.orValue(7) == 7",
        "device.attributes[\"gpu.example.com\"].exists(name, name == \"index\")",
        "device.attributes[\"gpu.example.com\"].driverVersion.isLessThan(semver(\"1.10.2\"))",
        "device.attributes[\"gpu.example.com\"].driverVersion.minor() == 10",
        "semver(\"v01.2\", true) == semver(\"1.2.0\")",
        "isSemver(\"1.2\") == false",
        "device.capacity[\"gpu.example.com\"].memory.compareTo(quantity(\"40Gi\")) == 0",
        "device.capacity[\"gpu.example.com\"].memory.sub(quantity(\"39Gi\")).asInteger() =="
            + " 1073741824",
        "quantity(\"1.5\").isInteger() == false && isQuantity(\"x\") == false",
        "quantity(\"-1\").sign() == -1",
        "\"gpu-12\".find(\"[0-9]+\") == \"12\"",
        "cel.bind(x, device.attributes[\"gpu.example.com\"], x.index == 3 && x.healthy)",
        "[1, 2, 2, 3].isSorted() && ![2.0, 1.0].isSorted() && [1].isSorted()",
        "[\"a\", \"b\", \"b\"].isSorted() && ![true, false].isSorted()",
        "[1, 3].sum() == 4 && [1.0, 3.0].sum() == 4.0 && [1u, 2u].sum() == 3u",
        "[1, 3].min() == 1 && [1, 3].max() == 3 && [\"b\", \"a\"].min() == \"a\"",
        "[1, 2, 2, 3].indexOf(2) == 1 && [1, 2, 2, 3].lastIndexOf(2) == 2",
        "[1.0].indexOf(1.1) == -1 && [\"a\"].lastIndexOf(\"b\") == -1",
        "\"chat\".indexOf(\"a\") == 2",
        "device.allowMultipleAllocations"
      })
  void aDevice_isSelected(String expression) {
    assertThat(result(expression)).isEqualTo("r=d");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "device.attributes[\"gpu.example.com\"].model > 5 | no such overload",
        "device.attributes[\"gpu.example.com\"].missing == 1 | no such key: missing",
        "device.attributes[\"gpu.example.com\"].index / 0 == 1 | division by zero",
        "quantity(\"1.5\").asInteger() == 1 | cannot convert value to integer",
        "([1] + []).filter(x, x > 1).max() == 1 | max called on empty list",
        "[9223372036854775807, 1].sum() > 0 | integer overflow"
      })
  void anError_hasTheWordsOfTheApiServersLibrary(String expression, String words) {
    assertThat(result(expression))
        .isEqualTo("claim team/c: selector #0: CEL runtime error: " + words);
  }

  @Test
  void anExpressionThatLoopsTooOften_isAnError() {
    String names = "device.attributes[\"gpu.example.com\"]";
    String expression = "true";
    for (int i = 0; i < 10; i++) {
      expression = names + ".all(k" + i + ", " + expression + ")";
    }
    assertThat(result(expression)).contains("cost limit exceeded");
  }

  @Test
  void failure_isRememberedForEachDevice_asResultsAre() {
    DeviceSelectors selectors = new DeviceSelectors();
    KnownDevice device = known();
    KnownDevice other = known();
    String failing = "1 / int(device.driver.size() - 15) == 1";
    SelectorCompiler.Result first = selectors.evaluate(failing, device);

    assertThat(first).isEqualTo(new SelectorCompiler.Failed("CEL runtime error: division by zero"));
    assertThat(selectors.evaluate(failing, device)).isSameAs(first);
    assertThat(selectors.evaluate(failing, other)).isEqualTo(first);
    assertThat(selectors.evaluate("true", device)).isEqualTo(new SelectorCompiler.Truth(true));
    assertThat(selectors.evaluate("false", device)).isEqualTo(new SelectorCompiler.Truth(false));
    assertThat(selectors.evaluate("false", device)).isEqualTo(new SelectorCompiler.Truth(false));
  }

  private static KnownDevice known() {
    Device device = Device.of("d", Map.of(), Map.of(), List.of(), false);
    return new KnownDevice(
        Slices.ofNode("gpu.example.com", "n1", "s", 1, List.of(device), List.of()),
        device,
        new DeviceId("gpu.example.com", "n1", "d"),
        new DeviceUse());
  }

  @ParameterizedTest
  @ValueSource(strings = {"device.name == \"d\"", "1", "device.driver", "authorizer.path(\"/\")"})
  void whatTheApiServerWouldNotAccept_doesNotCompile(String expression) {
    assertThat(result(expression)).contains("CEL compile error: ");
  }

  @Test
  void versionsCompareAsSemanticVersionsDo() {
    String[] ascending = {
      "1.0.0-alpha", "1.0.0-alpha.1", "1.0.0-alpha.beta", "1.0.0-beta.2", "1.0.0-beta.11",
      "1.0.0-rc.1", "1.0.0", "1.2.0", "1.10.0", "2.0.0"
    };
    for (int i = 1; i < ascending.length; i++) {
      assertThat(version(ascending[i - 1])).isLessThan(version(ascending[i]));
    }
    assertThat(version("1.0.0+a")).isEqualByComparingTo(version("1.0.0+b"));
    assertThat(SemanticVersion.read("01.0.0")).isEmpty();
    assertThat(SemanticVersion.read("1.0")).isEmpty();
    assertThat(SemanticVersion.read("1.0.0-01")).isEmpty();
  }

  private static SemanticVersion version(String text) {
    return SemanticVersion.read(text).orElseThrow();
  }

  /** A tenant who selects each device by its serial number does not cost others their results. */
  @Test
  void theResultsOfASelectorInUse_areKept_whileOthersComeAndGo() {
    DeviceObjects objects = new DeviceObjects().devices(DEVICE);
    DeviceSelectors selectors = objects.table.selectors();
    KnownDevice device = objects.table.on(DeviceObjects.node("n1", "")).device(0);
    String used = "device.driver == \"gpu.example.com\"";
    selectors.evaluate(used, device);
    long costOfUsed = 0;
    for (int i = 0; i < 3_500; i++) {
      selectors.evaluate("device.driver == \"" + i + "\"", device);
      long before = selectors.cost();
      assertThat(selectors.evaluate(used, device)).isEqualTo(new SelectorCompiler.Truth(true));
      costOfUsed += selectors.cost() - before;
    }

    assertThat(costOfUsed).as("nothing was compiled or evaluated a second time").isZero();
    assertThat(selectors.size()).isEqualTo(2_000);
  }

  @Test
  void resultsAreRight_whenTheNumbersOfSelectorsAreGivenAgain() {
    DeviceObjects objects = new DeviceObjects().devices(DEVICE);
    DeviceSelectors selectors = objects.table.selectors();
    KnownDevice device = objects.table.on(DeviceObjects.node("n1", "")).device(0);
    for (int i = 0; i < 9_000; i++) {
      boolean selects = i % 3 == 0;
      String expression =
          "device.driver == \"gpu.example.com\" && %d == %d".formatted(i, selects ? i : -1);
      SelectorCompiler.Truth expected = new SelectorCompiler.Truth(selects);
      assertThat(selectors.evaluate(expression, device)).isEqualTo(expected);
      assertThat(selectors.evaluate(expression, device)).isEqualTo(expected);
    }
  }

  @Test
  void aSelectorBeyondTheCostLimit_isAnError() {
    String numbers =
        IntStream.range(0, 40)
            .mapToObj(Integer::toString)
            .collect(Collectors.joining(",", "[", "]"));

    assertThat(
            result(
                "%1$s.all(a, %1$s.all(b, %1$s.all(c, %1$s.all(d, a + b + c + d >= 0))))"
                    .formatted(numbers)))
        .contains("operation cancelled: actual cost limit exceeded");
  }
}
