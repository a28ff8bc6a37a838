package io.berth.sandbox.cel;

import com.google.re2j.Matcher;
import com.google.re2j.Pattern;
import dev.cel.common.CelFunctionDecl;
import dev.cel.common.CelOverloadDecl;
import dev.cel.common.types.CelType;
import dev.cel.common.types.ListType;
import dev.cel.common.types.OpaqueType;
import dev.cel.common.types.SimpleType;
import dev.cel.common.types.TypeParamType;
import dev.cel.runtime.CelFunctionBinding;
import io.berth.sandbox.quantity.Amount;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;

/**
 * The functions that Kubernetes adds to CEL: for lists (isSorted, sum, min, max, indexOf,
 * lastIndexOf), regular expressions (find, findAll) and quantities (isQuantity, quantity,
 * compareTo, isGreaterThan, isLessThan).
 */
final class KubernetesLibrary {
  private static final CelType ITEM = TypeParamType.create("T");
  private static final CelType LIST = ListType.create(ITEM);
  private static final CelType QUANTITY = OpaqueType.create("kubernetes.Quantity");

  private KubernetesLibrary() {}

  static List<CelFunctionDecl> declarations() {
    return List.of(
        member("isSorted", "list_is_sorted_bool", SimpleType.BOOL, LIST),
        member("sum", "list_sum", ITEM, LIST),
        member("min", "list_min", ITEM, LIST),
        member("max", "list_max", ITEM, LIST),
        member("indexOf", "list_index_of_int", SimpleType.INT, LIST, ITEM),
        member("lastIndexOf", "list_last_index_of_int", SimpleType.INT, LIST, ITEM),
        member(
            "find", "string_find_string", SimpleType.STRING, SimpleType.STRING, SimpleType.STRING),
        member(
            "findAll",
            "string_find_all_string",
            ListType.create(SimpleType.STRING),
            SimpleType.STRING,
            SimpleType.STRING),
        CelFunctionDecl.newFunctionDeclaration(
            "isQuantity",
            CelOverloadDecl.newGlobalOverload(
                "is_quantity_string", SimpleType.BOOL, SimpleType.STRING)),
        CelFunctionDecl.newFunctionDeclaration(
            "quantity",
            CelOverloadDecl.newGlobalOverload("string_to_quantity", QUANTITY, SimpleType.STRING)),
        member("compareTo", "quantity_compare_to", SimpleType.INT, QUANTITY, QUANTITY),
        member("isGreaterThan", "quantity_is_greater_than", SimpleType.BOOL, QUANTITY, QUANTITY),
        member("isLessThan", "quantity_is_less_than", SimpleType.BOOL, QUANTITY, QUANTITY));
  }

  private static CelFunctionDecl member(
      String name, String overload, CelType result, CelType... parameters) {
    return CelFunctionDecl.newFunctionDeclaration(
        name, CelOverloadDecl.newMemberOverload(overload, result, List.of(parameters)));
  }

  static List<CelFunctionBinding> bindings() {
    return List.of(
        CelFunctionBinding.from("list_is_sorted_bool", List.class, KubernetesLibrary::isSorted),
        CelFunctionBinding.from("list_sum", List.class, KubernetesLibrary::sum),
        CelFunctionBinding.from("list_min", List.class, list -> extreme(list, -1)),
        CelFunctionBinding.from("list_max", List.class, list -> extreme(list, 1)),
        CelFunctionBinding.from(
            "list_index_of_int",
            List.class,
            Object.class,
            (list, item) -> (long) list.indexOf(item)),
        CelFunctionBinding.from(
            "list_last_index_of_int",
            List.class,
            Object.class,
            (list, item) -> (long) list.lastIndexOf(item)),
        CelFunctionBinding.from(
            "string_find_string", String.class, String.class, KubernetesLibrary::find),
        CelFunctionBinding.from(
            "string_find_all_string", String.class, String.class, KubernetesLibrary::findAll),
        CelFunctionBinding.from(
            "is_quantity_string", String.class, text -> Amount.read(text).isPresent()),
        CelFunctionBinding.from("string_to_quantity", String.class, KubernetesLibrary::quantity),
        CelFunctionBinding.from(
            "quantity_compare_to",
            BigDecimal.class,
            BigDecimal.class,
            (left, right) -> (long) left.compareTo(right)),
        CelFunctionBinding.from(
            "quantity_is_greater_than",
            BigDecimal.class,
            BigDecimal.class,
            (left, right) -> left.compareTo(right) > 0),
        CelFunctionBinding.from(
            "quantity_is_less_than",
            BigDecimal.class,
            BigDecimal.class,
            (left, right) -> left.compareTo(right) < 0));
  }

  private static BigDecimal quantity(String text) {
    return Amount.read(text)
        .map(Amount::value)
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    "quantities must match the regular expression"
                        + " '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"));
  }

  private static boolean isSorted(List<?> list) {
    for (int i = 1; i < list.size(); i++) {
      if (compare(list.get(i - 1), list.get(i)) > 0) {
        return false;
      }
    }
    return true;
  }

  private static Object sum(List<?> list) {
    boolean floating = list.stream().anyMatch(Double.class::isInstance);
    if (floating) {
      return list.stream().mapToDouble(item -> ((Number) item).doubleValue()).sum();
    }
    return list.stream().mapToLong(item -> ((Number) item).longValue()).sum();
  }

  private static Object extreme(List<?> list, int sign) {
    if (list.isEmpty()) {
      throw new IllegalArgumentException((sign < 0 ? "min" : "max") + " called on empty list");
    }
    Object found = list.get(0);
    for (Object item : list) {
      if (Integer.signum(compare(item, found)) == sign) {
        found = item;
      }
    }
    return found;
  }

  // The items of a CEL list have one type. A list of mixed types fails with an evaluation error.
  @SuppressWarnings({"unchecked", "rawtypes"})
  private static int compare(Object left, Object right) {
    return ((Comparable) left).compareTo(right);
  }

  private static String find(String text, String regex) {
    Matcher matcher = Pattern.compile(regex).matcher(text);
    return matcher.find() ? matcher.group() : "";
  }

  private static List<String> findAll(String text, String regex) {
    List<String> found = new ArrayList<>();
    Matcher matcher = Pattern.compile(regex).matcher(text);
    while (matcher.find()) {
      found.add(matcher.group());
    }
    return found;
  }
}
