//! Types (DWARF 5, chapter 5).

use super::DebugWriter;
use super::attributes::flag;
use super::entries::composite_tag;
use super::output::{EntryId, Expression, Value};
use frazil_ir::debug::kind::{BasicType, CompositeType, DerivedType, Enumerator, Integer, Subrange, SubroutineType};
use frazil_ir::debug::{Bound, Kind, NodeRef};
use gimli::constants as dw;

/// The name that debuggers know for the type of indices, which programs do not declare.
const INDEX_TYPE: &[u8] = b"__ARRAY_SIZE_TYPE__";

impl DebugWriter<'_> {
    pub(super) fn fill_basic(&mut self, unit: usize, entry: EntryId, data: &BasicType) {
        self.set_name(unit, entry, data.name);
        if data.tag == u64::from(dw::DW_TAG_unspecified_type.0) {
            return;
        }
        if let Ok(encoding) = u8::try_from(data.encoding) {
            self.set(unit, entry, dw::DW_AT_encoding, Value::Byte(encoding));
        }
        self.set_size(unit, entry, data.size);
        if !data.size.is_multiple_of(8) {
            self.set(unit, entry, dw::DW_AT_bit_size, Value::Unsigned(data.size));
        }
    }

    pub(super) fn fill_derived(&mut self, unit: usize, entry: EntryId, data: &DerivedType) {
        self.set_name(unit, entry, data.name);
        self.set_type(unit, entry, data.base);
        self.set_source(unit, entry, data.file, data.line);
        self.set_common_flags(unit, entry, data.flags);
        self.set_alignment(unit, entry, data.align);
        if data.tag == u64::from(dw::DW_TAG_ptr_to_member_type.0)
            && let Some(class) = self.entry(unit, data.extra)
        {
            self.set(unit, entry, dw::DW_AT_containing_type, Value::Entry(class));
        }
    }

    pub(super) fn fill_subroutine(&mut self, unit: usize, entry: EntryId, data: &SubroutineType) {
        self.set_flag(unit, entry, dw::DW_AT_prototyped, data.flags & flag::PROTOTYPED != 0);
        if let Ok(convention) = u8::try_from(data.convention)
            && convention > dw::DW_CC_normal.0
        {
            let value = Value::Byte(convention);
            self.set(unit, entry, dw::DW_AT_calling_convention, value);
        }
        self.set_flag(
            unit,
            entry,
            dw::DW_AT_reference,
            data.flags & flag::LVALUE_REFERENCE != 0,
        );
        self.set_flag(
            unit,
            entry,
            dw::DW_AT_rvalue_reference,
            data.flags & flag::RVALUE_REFERENCE != 0,
        );
        let types: Vec<NodeRef> = self.graph.list(data.types).collect();
        if let Some((&result, parameters)) = types.split_first() {
            self.set_type(unit, entry, result);
            self.add_parameter_types(unit, entry, parameters);
        }
    }

    /// Adds parameters that have types alone; the last one without type stands for any more.
    pub(super) fn add_parameter_types(&mut self, unit: usize, entry: EntryId, types: &[NodeRef]) {
        for (index, &ty) in types.iter().enumerate() {
            if ty.is_none() && index + 1 == types.len() {
                self.unit(unit).add(entry, dw::DW_TAG_unspecified_parameters);
                return;
            }
            let parameter = self.unit(unit).add(entry, dw::DW_TAG_formal_parameter);
            self.set_type(unit, parameter, ty);
            let flags = self.graph.at::<DerivedType>(ty).map_or(0, |data| data.flags);
            self.set_flag(unit, parameter, dw::DW_AT_artificial, flags & flag::ARTIFICIAL != 0);
            if flags & flag::OBJECT_POINTER != 0 {
                let this = Value::Entry(parameter);
                self.set(unit, entry, dw::DW_AT_object_pointer, this);
            }
        }
    }

    pub(super) fn fill_composite(&mut self, unit: usize, entry: EntryId, data: &CompositeType) {
        match composite_tag(data.tag) {
            dw::DW_TAG_array_type => return self.fill_array(unit, entry, data),
            dw::DW_TAG_enumeration_type => self.fill_enumeration(unit, entry, data),
            dw::DW_TAG_variant_part => return self.fill_variants(unit, entry, data),
            _ => self.fill_aggregate(unit, entry, data),
        }
        self.set_name(unit, entry, data.name);
        self.set_source(unit, entry, data.file, data.line);
        self.set_common_flags(unit, entry, data.flags);
        self.set_alignment(unit, entry, data.align);
        match data.flags & flag::DECLARATION {
            0 => self.set_size(unit, entry, data.size),
            _ => self.set_flag(unit, entry, dw::DW_AT_declaration, true),
        }
    }

    /// A structure, class or union.
    fn fill_aggregate(&mut self, unit: usize, entry: EntryId, data: &CompositeType) {
        let convention = match data.flags & (flag::PASSED_BY_VALUE | flag::PASSED_BY_REFERENCE) {
            flag::PASSED_BY_VALUE => Some(dw::DW_CC_pass_by_value),
            flag::PASSED_BY_REFERENCE => Some(dw::DW_CC_pass_by_reference),
            _ => None,
        };
        if let Some(convention) = convention {
            let value = Value::Byte(convention.0);
            self.set(unit, entry, dw::DW_AT_calling_convention, value);
        }
        self.set_flag(
            unit,
            entry,
            dw::DW_AT_export_symbols,
            data.flags & flag::EXPORT_SYMBOLS != 0,
        );
        if let Some(holder) = self.entry(unit, data.vtable_holder) {
            self.set(unit, entry, dw::DW_AT_containing_type, Value::Entry(holder));
        }
        self.add_template_parameters(unit, entry, data.template_params);
        let elements: Vec<NodeRef> = self.graph.list(data.elements).collect();
        self.add_members(unit, entry, &elements);
    }

    fn fill_enumeration(&mut self, unit: usize, entry: EntryId, data: &CompositeType) {
        self.set_type(unit, entry, data.base);
        self.set_flag(unit, entry, dw::DW_AT_enum_class, data.flags & flag::ENUM_CLASS != 0);
        let elements: Vec<NodeRef> = self.graph.list(data.elements).collect();
        for element in elements {
            let Some(value) = self.graph.at::<Enumerator>(element) else {
                continue;
            };
            let child = self.unit(unit).add(entry, dw::DW_TAG_enumerator);
            self.set_name(unit, child, value.name);
            let constant = match value.flags & 1 {
                0 => Value::Signed(value.low.cast_signed()),
                _ => Value::Unsigned(value.low),
            };
            self.set(unit, child, dw::DW_AT_const_value, constant);
        }
    }

    fn fill_array(&mut self, unit: usize, entry: EntryId, data: &CompositeType) {
        self.set_name(unit, entry, data.name);
        self.set_type(unit, entry, data.base);
        if data.flags & flag::VECTOR != 0 {
            self.set_flag(unit, entry, dw::DW_AT_GNU_vector, true);
            self.set_size(unit, entry, data.size);
        }
        let elements: Vec<NodeRef> = self.graph.list(data.elements).collect();
        for element in elements {
            if let Some(range) = self.graph.at::<Subrange>(element) {
                let child = self.unit(unit).add(entry, dw::DW_TAG_subrange_type);
                let ty = self.index_type(unit);
                self.set(unit, child, dw::DW_AT_type, Value::Entry(ty));
                self.set_bound(unit, child, dw::DW_AT_lower_bound, range.lower);
                self.set_bound(unit, child, dw::DW_AT_count, range.count);
                self.set_bound(unit, child, dw::DW_AT_upper_bound, range.upper);
                self.set_bound(unit, child, dw::DW_AT_byte_stride, range.stride);
            }
        }
    }

    /// A bound, unless it is what languages have where none is given.
    fn set_bound(&mut self, unit: usize, entry: EntryId, name: dw::DwAt, bound: Bound) {
        let number = match bound {
            Bound::None => return,
            Bound::Number(number) => Some(number),
            Bound::Node(node) => self.graph.get::<Integer>(node).map(|integer| integer.low.cast_signed()),
        };
        let value = match (number, bound) {
            (Some(0), _) if name == dw::DW_AT_lower_bound => return,
            (Some(-1), _) if name == dw::DW_AT_count => return,
            (Some(number), _) if number >= 0 => Value::Unsigned(number.cast_unsigned()),
            (Some(number), _) => Value::Signed(number),
            (None, Bound::Node(node)) => match self.graph.kind(node) {
                Some(Kind::LocalVariable | Kind::GlobalVariable) => {
                    let Some(&variable) = self.units.get(unit).entries.get(&node) else {
                        return;
                    };
                    Value::Entry(variable)
                }
                Some(Kind::Expression) => {
                    let mut expression = Expression::new();
                    let words = self.graph.words(node).to_vec();
                    if super::expressions::operations(&mut expression, &words).is_none() {
                        return;
                    }
                    Value::Expression(expression)
                }
                _ => return,
            },
            (None, _) => return,
        };
        self.set(unit, entry, name, value);
    }

    /// The type of indices.
    fn index_type(&mut self, unit: usize) -> EntryId {
        if let Some(known) = self.units.get(unit).index_type {
            return known;
        }
        let root = self.unit(unit).root();
        let entry = self.unit(unit).add(root, dw::DW_TAG_base_type);
        let name = self.dwarf.strings.add(INDEX_TYPE);
        self.set(unit, entry, dw::DW_AT_name, Value::Text(name));
        self.set(unit, entry, dw::DW_AT_byte_size, Value::Unsigned(8));
        self.set(unit, entry, dw::DW_AT_encoding, Value::Byte(dw::DW_ATE_unsigned.0));
        self.units.get(unit).index_type = Some(entry);
        entry
    }
}
