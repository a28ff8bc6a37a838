package io.berth.engine.devices;

import com.google.re2j.Matcher;
import com.google.re2j.Pattern;
import dev.cel.common.CelFunctionDecl;
import dev.cel.common.CelOverloadDecl;
import dev.cel.common.types.CelType;
import dev.cel.common.types.ListType;
import dev.cel.common.types.OpaqueType;
import dev.cel.common.types.SimpleType;
import dev.cel.runtime.CelFunctionBinding;
import io.berth.engine.quantity.SignedQuantity;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The functions that Kubernetes adds to CEL for the selectors of devices: quantities, semantic
 * versions, and regular expressions.
 */
final class SelectorFunctions {
  /** A quantity as a CEL value. */
  record Amount(BigDecimal value) {}

  private static final CelType QUANTITY = OpaqueType.create("kubernetes.Quantity");
  private static final CelType SEMVER = OpaqueType.create("kubernetes.Semver");
  private static final CelType TEXT = SimpleType.STRING;
  private static final CelType TRUTH = SimpleType.BOOL;
  private static final CelType INTEGER = SimpleType.INT;

  private SelectorFunctions() {}

  static List<CelFunctionDecl> declarations() {
    return List.of(
        declare("isQuantity", function("is_quantity_string", TRUTH, TEXT)),
        declare("quantity", function("string_to_quantity", QUANTITY, TEXT)),
        declare("sign", method("quantity_sign", INTEGER, QUANTITY)),
        declare("isInteger", method("quantity_is_integer", TRUTH, QUANTITY)),
        declare("asInteger", method("quantity_get_int", INTEGER, QUANTITY)),
        declare("asApproximateFloat", method("quantity_get_float", SimpleType.DOUBLE, QUANTITY)),
        declare(
            "add",
            method("quantity_add", QUANTITY, QUANTITY, QUANTITY),
            method("quantity_add_int", QUANTITY, QUANTITY, INTEGER)),
        declare(
            "sub",
            method("quantity_sub", QUANTITY, QUANTITY, QUANTITY),
            method("quantity_sub_int", QUANTITY, QUANTITY, INTEGER)),
        declare(
            "isSemver",
            function("is_semver_string", TRUTH, TEXT),
            function("is_semver_string_bool", TRUTH, TEXT, TRUTH)),
        declare(
            "semver",
            function("string_to_semver", SEMVER, TEXT),
            function("string_bool_to_semver", SEMVER, TEXT, TRUTH)),
        declare("major", method("semver_major", INTEGER, SEMVER)),
        declare("minor", method("semver_minor", INTEGER, SEMVER)),
        declare("patch", method("semver_patch", INTEGER, SEMVER)),
        declare(
            "isGreaterThan",
            method("quantity_is_greater_than", TRUTH, QUANTITY, QUANTITY),
            method("semver_is_greater_than", TRUTH, SEMVER, SEMVER)),
        declare(
            "isLessThan",
            method("quantity_is_less_than", TRUTH, QUANTITY, QUANTITY),
            method("semver_is_less_than", TRUTH, SEMVER, SEMVER)),
        declare(
            "compareTo",
            method("quantity_compare_to", INTEGER, QUANTITY, QUANTITY),
            method("semver_compare_to", INTEGER, SEMVER, SEMVER)),
        declare("find", method("string_find_string", TEXT, TEXT, TEXT)),
        declare(
            "findAll",
            method("string_find_all_string", ListType.create(TEXT), TEXT, TEXT),
            method("string_find_all_string_int", ListType.create(TEXT), TEXT, TEXT, INTEGER)));
  }

  private static CelFunctionDecl declare(String name, CelOverloadDecl... overloads) {
    return CelFunctionDecl.newFunctionDeclaration(name, overloads);
  }

  private static CelOverloadDecl function(String id, CelType result, CelType... parameters) {
    return CelOverloadDecl.newGlobalOverload(id, result, List.of(parameters));
  }

  private static CelOverloadDecl method(String id, CelType result, CelType... parameters) {
    return CelOverloadDecl.newMemberOverload(id, result, List.of(parameters));
  }

  static List<CelFunctionBinding> bindings() {
    List<CelFunctionBinding> all = new ArrayList<>(ofQuantities());
    all.addAll(ofVersions());
    all.add(
        CelFunctionBinding.from(
            "string_find_string",
            String.class,
            String.class,
            (text, regex) -> {
              Matcher matcher = Pattern.compile(regex).matcher(text);
              return matcher.find() ? matcher.group() : "";
            }));
    all.add(
        CelFunctionBinding.from(
            "string_find_all_string",
            String.class,
            String.class,
            (text, regex) -> findAll(text, regex, -1)));
    all.add(
        CelFunctionBinding.from(
            "string_find_all_string_int",
            List.of(String.class, String.class, Long.class),
            arguments ->
                findAll((String) arguments[0], (String) arguments[1], (Long) arguments[2])));
    return all;
  }

  private static List<CelFunctionBinding> ofQuantities() {
    return List.of(
        CelFunctionBinding.from(
            "is_quantity_string", String.class, text -> SignedQuantity.read(text).isPresent()),
        CelFunctionBinding.from("string_to_quantity", String.class, SelectorFunctions::quantity),
        CelFunctionBinding.from(
            "quantity_sign", Amount.class, amount -> (long) amount.value().signum()),
        CelFunctionBinding.from(
            "quantity_is_integer", Amount.class, amount -> integer(amount).isPresent()),
        CelFunctionBinding.from(
            "quantity_get_int",
            Amount.class,
            amount ->
                integer(amount)
                    .orElseThrow(
                        () -> new IllegalArgumentException("cannot convert value to integer"))),
        CelFunctionBinding.from(
            "quantity_get_float", Amount.class, amount -> amount.value().doubleValue()),
        CelFunctionBinding.from(
            "quantity_add",
            Amount.class,
            Amount.class,
            (a, b) -> new Amount(SignedQuantity.normal(a.value().add(b.value())))),
        CelFunctionBinding.from(
            "quantity_add_int",
            Amount.class,
            Long.class,
            (a, b) -> new Amount(SignedQuantity.normal(a.value().add(BigDecimal.valueOf(b))))),
        CelFunctionBinding.from(
            "quantity_sub",
            Amount.class,
            Amount.class,
            (a, b) -> new Amount(SignedQuantity.normal(a.value().subtract(b.value())))),
        CelFunctionBinding.from(
            "quantity_sub_int",
            Amount.class,
            Long.class,
            (a, b) -> new Amount(SignedQuantity.normal(a.value().subtract(BigDecimal.valueOf(b))))),
        CelFunctionBinding.from(
            "quantity_is_greater_than",
            Amount.class,
            Amount.class,
            (a, b) -> a.value().compareTo(b.value()) > 0),
        CelFunctionBinding.from(
            "quantity_is_less_than",
            Amount.class,
            Amount.class,
            (a, b) -> a.value().compareTo(b.value()) < 0),
        CelFunctionBinding.from(
            "quantity_compare_to",
            Amount.class,
            Amount.class,
            (a, b) -> (long) a.value().compareTo(b.value())));
  }

  private static List<CelFunctionBinding> ofVersions() {
    return List.of(
        CelFunctionBinding.from(
            "is_semver_string", String.class, text -> SemanticVersion.read(text).isPresent()),
        CelFunctionBinding.from(
            "is_semver_string_bool",
            String.class,
            Boolean.class,
            (text, loosely) -> version(text, loosely).isPresent()),
        CelFunctionBinding.from(
            "string_to_semver", String.class, text -> requireVersion(text, false)),
        CelFunctionBinding.from(
            "string_bool_to_semver",
            String.class,
            Boolean.class,
            SelectorFunctions::requireVersion),
        CelFunctionBinding.from("semver_major", SemanticVersion.class, SemanticVersion::major),
        CelFunctionBinding.from("semver_minor", SemanticVersion.class, SemanticVersion::minor),
        CelFunctionBinding.from("semver_patch", SemanticVersion.class, SemanticVersion::patch),
        CelFunctionBinding.from(
            "semver_is_greater_than",
            SemanticVersion.class,
            SemanticVersion.class,
            (a, b) -> a.compareTo(b) > 0),
        CelFunctionBinding.from(
            "semver_is_less_than",
            SemanticVersion.class,
            SemanticVersion.class,
            (a, b) -> a.compareTo(b) < 0),
        CelFunctionBinding.from(
            "semver_compare_to",
            SemanticVersion.class,
            SemanticVersion.class,
            (a, b) -> (long) Integer.signum(a.compareTo(b))));
  }

  private static Amount quantity(String text) {
    return SignedQuantity.read(text)
        .map(Amount::new)
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    "quantities must match the regular expression"
                        + " '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"));
  }

  private static Optional<Long> integer(Amount amount) {
    BigDecimal value = amount.value();
    return value.scale() <= 0 && value.toBigInteger().bitLength() < Long.SIZE
        ? Optional.of(value.longValue())
        : Optional.empty();
  }

  private static Optional<SemanticVersion> version(String text, boolean loosely) {
    return loosely ? SemanticVersion.readLoosely(text) : SemanticVersion.read(text);
  }

  private static SemanticVersion requireVersion(String text, boolean loosely) {
    return version(text, loosely)
        .orElseThrow(() -> new IllegalArgumentException("not a semantic version: " + text));
  }

  private static List<String> findAll(String text, String regex, long limit) {
    List<String> found = new ArrayList<>();
    Matcher matcher = Pattern.compile(regex).matcher(text);
    while ((limit < 0 || found.size() < limit) && matcher.find()) {
      found.add(matcher.group());
    }
    return found;
  }
}
