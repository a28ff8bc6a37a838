package io.berth.engine.devices;

import com.google.common.primitives.UnsignedLong;
import dev.cel.common.CelFunctionDecl;
import dev.cel.common.CelOverloadDecl;
import dev.cel.common.types.CelType;
import dev.cel.common.types.ListType;
import dev.cel.common.types.SimpleType;
import dev.cel.common.types.TypeParamType;
import dev.cel.runtime.CelFunctionBinding;
import dev.cel.runtime.RuntimeEquality;
import java.math.BigInteger;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/** The functions for lists that Kubernetes adds to CEL, for each type of elements. */
final class SelectorLists {
  private static final Map<String, CelType> COMPARABLE = new LinkedHashMap<>();

  static {
    COMPARABLE.put("int", SimpleType.INT);
    COMPARABLE.put("uint", SimpleType.UINT);
    COMPARABLE.put("double", SimpleType.DOUBLE);
    COMPARABLE.put("bool", SimpleType.BOOL);
    COMPARABLE.put("duration", SimpleType.DURATION);
    COMPARABLE.put("timestamp", SimpleType.TIMESTAMP);
    COMPARABLE.put("string", SimpleType.STRING);
    COMPARABLE.put("bytes", SimpleType.BYTES);
  }

  private static final List<String> SUMMABLE = List.of("int", "uint", "double", "duration");
  private static final CelType ELEMENT = TypeParamType.create("A");

  private SelectorLists() {}

  static List<CelFunctionDecl> declarations() {
    return List.of(
        declare("isSorted", COMPARABLE.keySet(), name -> sorted(name)),
        declare("sum", SUMMABLE, name -> same("sum", name)),
        declare("min", COMPARABLE.keySet(), name -> same("min", name)),
        declare("max", COMPARABLE.keySet(), name -> same("max", name)),
        CelFunctionDecl.newFunctionDeclaration("indexOf", position("list_a_index_of_int")),
        CelFunctionDecl.newFunctionDeclaration(
            "lastIndexOf", position("list_a_last_index_of_int")));
  }

  private static CelFunctionDecl declare(
      String function, Iterable<String> types, Function<String, CelOverloadDecl> overload) {
    List<CelOverloadDecl> overloads = new ArrayList<>();
    types.forEach(name -> overloads.add(overload.apply(name)));
    return CelFunctionDecl.newFunctionDeclaration(function, overloads);
  }

  private static CelOverloadDecl sorted(String name) {
    return CelOverloadDecl.newMemberOverload(
        "list_%s_is_sorted_bool".formatted(name),
        SimpleType.BOOL,
        List.of(ListType.create(COMPARABLE.get(name))));
  }

  private static CelOverloadDecl same(String function, String name) {
    CelType type = COMPARABLE.get(name);
    return CelOverloadDecl.newMemberOverload(
        idOf(function, name), type, List.of(ListType.create(type)));
  }

  private static String idOf(String function, String name) {
    return "list_%s_%s_%s".formatted(name, function, name);
  }

  private static CelOverloadDecl position(String id) {
    return CelOverloadDecl.newMemberOverload(
        id, SimpleType.INT, List.of(ListType.create(ELEMENT), ELEMENT));
  }

  static List<CelFunctionBinding> bindings(RuntimeEquality equality) {
    List<CelFunctionBinding> all = new ArrayList<>();
    for (String name : COMPARABLE.keySet()) {
      all.add(
          CelFunctionBinding.from(
              "list_%s_is_sorted_bool".formatted(name), List.class, SelectorLists::isSorted));
      all.add(
          CelFunctionBinding.from(idOf("min", name), List.class, list -> extreme("min", list, 1)));
      all.add(
          CelFunctionBinding.from(idOf("max", name), List.class, list -> extreme("max", list, -1)));
    }
    for (String name : SUMMABLE) {
      all.add(CelFunctionBinding.from(idOf("sum", name), List.class, list -> sum(name, list)));
    }
    all.add(
        CelFunctionBinding.from(
            "list_a_index_of_int",
            List.class,
            Object.class,
            (list, item) -> indexOf(equality, (List<?>) list, item)));
    all.add(
        CelFunctionBinding.from(
            "list_a_last_index_of_int",
            List.class,
            Object.class,
            (list, item) -> lastIndexOf(equality, (List<?>) list, item)));
    return all;
  }

  private static boolean isSorted(List<?> list) {
    for (int i = 1; i < list.size(); i++) {
      if (compare(list.get(i - 1), list.get(i)) > 0) {
        return false;
      }
    }
    return true;
  }

  /**
   * Returns the least or the greatest element, the first of equal ones.
   *
   * @param replacing the sign of the comparison with an element that is taken instead
   */
  private static Object extreme(String function, List<?> list, int replacing) {
    if (list.isEmpty()) {
      throw new IllegalArgumentException(function + " called on empty list");
    }
    Object extreme = list.getFirst();
    for (Object element : list) {
      if (Integer.signum(compare(extreme, element)) == replacing) {
        extreme = element;
      }
    }
    return extreme;
  }

  @SuppressWarnings("unchecked") // Elements of one list have one type.
  private static int compare(Object one, Object other) {
    if (one instanceof String a && other instanceof String b) {
      return Arrays.compare(a.codePoints().toArray(), b.codePoints().toArray());
    }
    if (one instanceof Comparable<?> a && one.getClass().equals(other.getClass())) {
      return ((Comparable<Object>) a).compareTo(other);
    }
    throw new IllegalArgumentException("no such overload");
  }

  private static Object sum(String type, List<?> list) {
    try {
      return switch (type) {
        case "int" -> list.stream().mapToLong(value -> (Long) value).reduce(0, Math::addExact);
        case "uint" -> unsignedSum(list);
        case "double" -> list.stream().mapToDouble(value -> (Double) value).sum();
        default -> list.stream().map(Duration.class::cast).reduce(Duration.ZERO, Duration::plus);
      };
    } catch (ArithmeticException e) {
      throw new IllegalArgumentException("integer overflow", e);
    } catch (ClassCastException e) {
      throw new IllegalArgumentException("no such overload", e);
    }
  }

  private static UnsignedLong unsignedSum(List<?> list) {
    BigInteger sum = BigInteger.ZERO;
    for (Object value : list) {
      sum = sum.add(((UnsignedLong) value).bigIntegerValue());
    }
    if (sum.bitLength() > Long.SIZE) {
      throw new ArithmeticException("unsigned integer overflow");
    }
    return UnsignedLong.valueOf(sum);
  }

  private static long indexOf(RuntimeEquality equality, List<?> list, Object item) {
    for (int i = 0; i < list.size(); i++) {
      if (equality.objectEquals(list.get(i), item)) {
        return i;
      }
    }
    return -1;
  }

  private static long lastIndexOf(RuntimeEquality equality, List<?> list, Object item) {
    for (int i = list.size() - 1; i >= 0; i--) {
      if (equality.objectEquals(list.get(i), item)) {
        return i;
      }
    }
    return -1;
  }
}
