DELETE FROM checks WHERE organization_id = $1 AND shipment_id = $2
